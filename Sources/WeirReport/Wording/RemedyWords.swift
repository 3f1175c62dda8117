import WeirAnalysis
import WeirTrace

/// The sentence that says what would cure a finding; names and places come escaped and in their colours.
struct RemedyWords {
    /// The change.
    let kind: Remedy.Kind
    /// The node that it is about.
    let node: String
    /// What kind of node that is.
    var nodeKind: NodeKind?
    /// The line to change; nil: not known.
    var site: String?
    /// The stimulus that made the writes.
    var stimulus: String?
    /// The input that changed without effect.
    var input: String?
    /// The turns are known to be of different stimuli.
    var isOfSeveralStimuli = false
    /// The handler also emits: it is no mere view.
    var carriesOn = false

    /// ".distinct() before the subscription at Cart/CartView.swift:30".
    var sentence: String {
        switch kind {
        case .distinct: return ".distinct() before the subscription\(at)" + caution
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
            return "batch { … } around the writes" + (stimulus.map { " of \($0)" } ?? "")
                + ", so that the subscription\(at) is refreshed once"
        case .throttle where isOfSeveralStimuli:
            return ".throttle(…) before the subscription\(at), for these turns are of different stimuli" + caution
        case .throttle:
            return
                "batch { … } around the writes, if they belong together; else .throttle(…) before the subscription\(at)"
                + caution
        case .share: return ".share() after \(nodeKind == .flatMap ? "the flatMap" : "the source")\(at)"
        case .dispose: return "dispose of the subscription\(at) with its owner, such as by a DisposeBag that it holds"
        case .cutLoop: return "cut one edge of the loop\(at): let one side not depend on the other"
        case .makeLater: return "make \(node)\(at) when it is shown, and let go of it when it is not"
        case .narrowInput:
            guard nodeKind == .combiner, let input else {
                return ".map { what it uses }.distinct() on its \(input.map { "input \($0)" } ?? "inputs")\(at)"
            }
            return "combine(\(input)) { what it uses } in place of its input \(input)\(at)"
        case .deliver: return ".deliver(on:) before \(node) is written, so that one thread does\(made)"
        case .lightenHandler: return "move work out of the handler\(at): off this thread, or to when it is needed"
        }
    }

    /// A handler that does more than to show may have to hear each value.
    private var caution: String {
        carriesOn ? "; but its handler also writes: see whether it must hear each value" : ""
    }
    private var at: String { site.map { " at \($0)" } ?? "" }
    private var made: String { site.map { " (made at \($0))" } ?? "" }
}
