extension RemedyWords {
    /// Remedies for asynchronous sequences and streams: the producer or the loop can compare elements.
    var ofAsyncSequence: String? {
        switch kind {
        case .removeDuplicates:
            "compare with the last element, before it is yielded or in the loop over \(node)\(made)\(caution)"
        case .settled, .computeOnce, .batch: "yield to \(node) once\(inStimulus), when all is written\(made)"
        case .throttle where isOfSeveralStimuli:
            "let the loop over \(node)\(made) wait until the elements are over, such as by .debounce(for:)\(differentStimuli)\(caution)"
        case .throttle:
            "yield to \(node) once\(inStimulus), if these elements belong together; else .debounce(for:) before the loop\(made)\(caution)"
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
}
