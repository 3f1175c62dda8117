extension RemedyWords {
    /// Remedies for renders: the body can read less, or run once after all writes.
    ///
    /// A computed property narrows nothing, because the body depends on everything that it reads.
    var ofRender: String? {
        switch kind {
        case .removeDuplicates:
            "let the body\(at) read less: a stored property that is written only when what is shown changes; or split the view"
        case .narrowInput:
            "let the body\(at) read, in place of \(input ?? "its inputs"), a stored property that is written only when what is shown changes"
        case .settled, .computeOnce: "run the body\(at) once after all writes: Trace.render(…, on: .main)"
        case .batch:
            "make the writes\(ofStimulus) with no await between them, and run the body\(at) after them: Trace.render(…, on: .main)"
        case .throttle where isOfSeveralStimuli: "let the body\(at) read less, or split the view\(differentStimuli)"
        case .throttle:
            "make the writes\(ofStimulus) with no await between them, if they belong together; else let the body\(at) read less"
        case .subscribeOnce:
            "render once: dispose of the former render\(at) before the next one, or do not render again"
        case .makeLater: "begin \(node)\(at) when it is shown, and dispose of it when it is not"
        case .dispose: "dispose of the render\(at) with its owner"
        case .cutLoop:
            "do not write \(input ?? "what it reads") in the body\(at)\(input == nil ? "" : ", which reads it"): write it where its cause is"
        case .deliver: "write what the body\(at) reads on one actor, such as the main actor"
        case .lightenHandler: "move work out of the body\(at): do it when its input changes, and keep the result"
        default: nil
        }
    }
}
