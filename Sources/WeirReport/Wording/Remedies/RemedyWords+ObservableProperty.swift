extension RemedyWords {
    /// Remedies for properties of an `@Observable` class, stored or computed.
    var ofObservableProperty: String? {
        switch kind {
        case .removeDuplicates: "write \(node) only when it is different: if new != old"
        case .settled, .computeOnce:
            "compute \(node)\(made) from what it is made of, in place of writing it from several places"
        case .batch: "write \(node) once\(inStimulus), when all is known"
        case .throttle where isOfSeveralStimuli: "write \(node) when the changes are over\(differentStimuli)"
        case .throttle: "write \(node) once\(inStimulus), when all is known; else when the changes are over"
        case .narrowInput:
            "write \(input ?? "its inputs") only when different, or keep \(node) in a stored property that is\(made)"
        case .dispose: "dispose of the subscription\(at) with its owner"
        case .makeLater: "read \(node)\(made) only where it is shown"
        case .cutLoop:
            "do not write \(node) in what its own change causes, such as its didSet, or only when it is different\(made)"
        case .deliver: "write \(node) on one actor, such as the main actor\(made)"
        case .lightenHandler:
            "move work out of what runs when \(node) changes\(made): off this thread, or to when it is needed"
        default: nil
        }
    }
}
