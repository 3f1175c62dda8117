extension RemedyWords {
    /// Remedies for callbacks: the caller can compare values, or call only once.
    var ofCallback: String? {
        switch kind {
        case .removeDuplicates:
            "compare before the call\(at), and leave it out where the value is that of the last call\(caution)"
        case .settled, .computeOnce, .batch: "make the call\(at) once\(inStimulus), when all is written"
        case .throttle where isOfSeveralStimuli:
            "make the call\(at) when the changes are over, \(differentStimuli)\(caution)"
        case .throttle:
            "make the call\(at) once\(inStimulus), if the changes belong together; else when they are over\(caution)"
        case .dispose: "take the callback\(at) away with its owner, or let it hold that weakly"
        case .cutLoop: "do not make the call\(at) in what it causes, or only where the value is different"
        case .deliver: "make the call\(at) on one actor, such as the main actor"
        case .lightenHandler: "move work out of the callback\(at): off this thread, or to when it is needed"
        default: nil
        }
    }
}
