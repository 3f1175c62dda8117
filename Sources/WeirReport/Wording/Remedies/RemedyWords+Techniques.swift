extension RemedyWords {
    /// Remedies for observables of other libraries, in terms that are common to these.
    var ofAnotherLibrary: String? {
        switch kind {
        case .removeDuplicates:
            "let through only what differs (distinctUntilChanged, skipRepeats) before the subscription\(at)\(caution)"
        case .settled, .computeOnce, .batch:
            "bring the writes\(ofStimulus) together in one value, so that the subscription\(at) is refreshed once"
        case .throttle where isOfSeveralStimuli:
            "throttle or debounce before the subscription\(at)\(differentStimuli)\(caution)"
        case .throttle:
            "bring the writes\(ofStimulus) together, if they belong together; else throttle or debounce before the subscription\(at)\(caution)"
        case .replay: "share what several subscribe to\(at), and replay the latest value (shareReplay)"
        case .share where missesEarlierValues:
            "share what several subscribe to\(at); a later subscriber then misses earlier values"
        case .share: "share what several subscribe to\(at)"
        case .dispose: "dispose of the subscription\(at) with its owner"
        case .deliver: "observe on one thread before the subscription\(at)"
        default: nil
        }
    }
}

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

extension RemedyWords {
    /// Remedies for Combine publishers. Operators before `.traced` take effect before the trace counts.
    var ofPublisher: String? {
        switch kind {
        case .removeDuplicates: ".removeDuplicates() before .traced(…)\(at)\(caution)"
        case .settled, .computeOnce, .batch:
            "bring the writes\(ofStimulus) together in one value; else .debounce(for: .zero, scheduler: …) before .traced(…)\(at)"
        case .throttle where isOfSeveralStimuli:
            ".debounce(for:scheduler:) or .throttle(for:scheduler:latest:) before .traced(…)\(at)\(differentStimuli)\(caution)"
        case .throttle:
            "bring the writes\(ofStimulus) together, if they belong together; else .debounce(for:scheduler:) before .traced(…)\(at)\(caution)"
        case .dispose: "cancel the subscription\(at) with its owner: .store(in:) a set that the owner holds"
        case .cutLoop: "do not send to \(node) what its own values cause, or .removeDuplicates() in the loop\(at)"
        case .share where missesEarlierValues:
            ".share() before .traced(…)\(at); a later subscriber then misses earlier values"
        case .replay:
            ".multicast { CurrentValueSubject(…) }.autoconnect() before .traced(…)\(at): with .share(), a later subscriber would miss the value that it now gets at once"
        case .share: ".share() before .traced(…)\(at)"
        case .deliver: ".receive(on: DispatchQueue.main) before .traced(…)\(at)"
        case .lightenHandler:
            "move work out of what follows .traced(…)\(at): .receive(on:) another queue before it, or when it is needed"
        default: nil
        }
    }
}

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
