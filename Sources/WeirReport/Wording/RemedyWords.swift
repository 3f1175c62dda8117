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

    /// ".distinct() before the subscription at Cart/CartView.swift:30".
    var sentence: String {
        switch kind {
        case .distinct: return ".distinct() before the subscription\(at)"
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
        case .throttle: return ".throttle(…) before the subscription\(at), for these turns are of different stimuli"
        case .share: return ".share() behind the source\(at)"
        case .dispose: return "dispose of the subscription\(at) with its owner, such as by a DisposeBag that it holds"
        case .cutLoop: return "cut one edge of the loop\(at): let one side not depend on the other"
        case .makeLater: return "make \(node)\(at) when it is shown, and let go of it when it is not"
        case .narrowInput:
            return ".map { what it uses }.distinct() on its \(input.map { "input \($0)" } ?? "inputs")\(at)"
        case .deliver: return ".deliver(on:) before \(node) is written, so that one thread does\(made)"
        case .lightenHandler: return "move work out of the handler\(at): off this thread, or to when it is needed"
        }
    }

    private var at: String { site.map { " at \($0)" } ?? "" }
    private var made: String { site.map { " (made at \($0))" } ?? "" }
}
