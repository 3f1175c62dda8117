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
