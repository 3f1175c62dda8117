extension RemedyWords {
    /// Remedies for properties marked `@Published`: each write refreshes the views of its object.
    var ofPublishedProperty: String? {
        switch kind {
        case .removeDuplicates: "write \(node) only when it is different: if new != old\(caution)"
        case .settled, .computeOnce, .batch: "write \(node) once\(inStimulus), when all is known"
        case .throttle where isOfSeveralStimuli:
            "write \(node) when the changes are over, \(differentStimuli)\(caution)"
        case .throttle:
            "write \(node) once\(inStimulus), if the changes belong together; else when they are over\(caution)"
        case .dispose: "cancel what Trace.observePublished(of:)\(at) gave with its owner"
        case .cutLoop: "do not write \(node) in what its own change causes, or only when it is different"
        case .deliver: "write \(node) on one actor, such as the main actor"
        default: nil
        }
    }
}
