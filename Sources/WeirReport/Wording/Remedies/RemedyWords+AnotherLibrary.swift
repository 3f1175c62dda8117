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
