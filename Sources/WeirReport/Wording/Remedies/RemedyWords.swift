import WeirAnalysis
import WeirTrace

/// The sentence that says what would cure a finding; names and places come escaped and in their colours.
///
/// Each technique has a table of its own, in words that its user can write; what a table leaves out is said as for Weir's own.
struct RemedyWords {
    /// The change.
    let kind: Remedy.Kind
    /// The node that it is about.
    let node: String
    /// What kind of node that is.
    var nodeKind: NodeKind?
    /// By which means the program made it.
    var technique = NodeTechnique.weir
    /// The line to change; nil: not known.
    var site: String?
    /// The stimulus that made the writes.
    var stimulus: String?
    /// Another one, which made those that followed.
    var laterStimulus: String?
    /// The input that changed without effect.
    var input: String?
    /// The turns are known to be of different stimuli.
    var isOfSeveralStimuli = false
    /// The handler also emits: it is no mere view.
    var carriesOn = false

    /// ".removeDuplicates() before the subscription at Cart/CartView.swift:30".
    var sentence: String {
        let own: String? =
            switch technique {
            case .weir: nil
            case .traced: ofTracedProperty
            case .observation: ofObservableProperty
            case .render: ofRender
            case .combine: ofPublisher
            case .published: ofPublishedProperty
            case .asyncSequence: ofAsyncSequence
            case .callback: ofCallback
            case .foreign: ofAnotherLibrary
            }
        return own ?? ofWeir
    }

    private var ofWeir: String {
        switch kind {
        case .removeDuplicates: return ".removeDuplicates() before the subscription\(at)" + caution
        case .settled:
            switch nodeKind {
            case .combiner?, nil: return "combine(…, strategy: .settled)\(at)"
            case .observable?, .emitter?, .channel?, .array?, .command?, .binding?, .observer?:
                return
                    "compute \(node) with combine(…, strategy: .settled) in place of writing it from several handlers"
                    + (site.map { " (made at \($0))" } ?? "")
            default: return "combine(…, strategy: .settled) in place of \(nodeKind?.name ?? "the operator")\(at)"
            }
        case .batch:
            return "batch { … } around the writes\(ofStimulus), so that the subscription\(at) is refreshed once"
        case .throttle where isOfSeveralStimuli:
            return ".throttle(…) before the subscription\(at), \(differentStimuli)" + caution
        case .throttle:
            return
                "batch { … } around the writes\(ofStimulus), if they belong together; else .throttle(…) before the subscription\(at)"
                + caution
        case .share: return ".share() after \(nodeKind == .flatMap ? "the flatMap" : "the source")\(at)"
        case .dispose: return "dispose of the subscription\(at) with its owner, such as by a DisposeBag that it holds"
        case .cutLoop: return "cut one edge of the loop\(at): let one side not depend on the other"
        case .makeLater: return "make \(node)\(at) when it is shown, and let go of it when it is not"
        case .narrowInput:
            guard nodeKind == .combiner, let input else {
                return ".map { what it uses }.removeDuplicates() on its \(input.map { "input \($0)" } ?? "inputs")\(at)"
            }
            return "combine(\(input)) { what it uses } in place of its input \(input)\(at)"
        case .deliver: return ".deliver(on:) before \(node) is written, so that one thread does\(made)"
        case .lightenHandler: return "move work out of the handler\(at): off this thread, or to when it is needed"
        }
    }

    /// A handler that does more than to show may have to hear each value.
    var caution: String {
        carriesOn ? "; but its handler also writes: see whether it must hear each value" : ""
    }
    var at: String { site.map { " at \($0)" } ?? "" }
    var made: String { site.map { " (made at \($0))" } ?? "" }
    /// " of “tap”".
    var ofStimulus: String { stimulus.map { " of \($0)" } ?? "" }
    /// " in “tap”".
    var inStimulus: String { stimulus.map { " in \($0)" } ?? "" }
    /// "for these turns are of different stimuli, “type name” and “type password”".
    var differentStimuli: String {
        guard let stimulus, let laterStimulus else { return "for these turns are of different stimuli" }
        let names = stimulus == laterStimulus ? "\(stimulus) twice" : "\(stimulus) and \(laterStimulus)"
        return "for these turns are of different stimuli, \(names)"
    }
}
