extension RemedyWords {
    /// Remedies for asynchronous sequences and streams: the producer or the loop can compare elements.
    var ofAsyncSequence: String? {
        switch kind {
        case .removeDuplicates:
            "compare with the last element, before it is yielded or in the loop over \(node)\(made)\(caution)"
        case .settled, .computeOnce, .batch: "yield to \(node) once\(inStimulus), when all is written\(made)"
        case .throttle where isOfSeveralStimuli:
            "if not each element must be seen, \(throttledLoop)\(differentStimuli)\(caution)"
        case .throttle:
            "yield to \(node) once\(inStimulus), if these elements belong together; else, if not each must be seen, \(throttledLoop)\(caution)"
        case .share, .replay: "loop over \(node)\(made) once, and hand its elements on"
        case .dispose:
            "cancel the task that loops over \(node)\(made) with its owner, and let the loop hold the owner weakly"
        case .cutLoop: "do not yield to \(node) in the loop over it, or only what is different\(made)"
        case .deliver: "yield to \(node) on one actor, such as the main actor\(made)"
        case .lightenHandler:
            "move work out of the loop over \(node)\(made): to a task of its own, or to when it is needed"
        default: nil
        }
    }

    /// A traced sequence has no operators, and its loop is refreshed by each element.
    private var throttledLoop: String {
        "loop over Signal(sequence)\(throttle).values, with the sequence that is not traced\(made)"
    }
}
