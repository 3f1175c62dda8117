import WeirAnalysis
import WeirReport
import WeirTrace

/// The nodes that a question is about: those with a name, or for a handler, which emits nothing, those that it is subscribed to.
struct AskedNodes {
    let ids: [UInt32]
    /// For a handler: "The handler at Cart/CartView.swift:30 receives the values of CartModel.total."
    let sentence: String?
    /// For a handler: the ids of its subscriptions.
    private var handlers: [UInt32] = []

    /// The same for `why-not`.
    var question: WhyNot.Question { WhyNot.Question(ids, handlers: handlers) }

    /// The sentence, unless the answer says it.
    func sentence(of answer: WhyNot) -> String? { answer.handlers?.stops.isEmpty == false ? nil : sentence }

    /// - Parameter text: the name of a node, or the line of a handler.
    init(_ text: String, _ definitions: TraceDefinitions, _ path: String, orEvent: Bool = false) throws {
        let handlers = definitions.subscriptions.values.filter { subscription in
            guard !subscription.isInternal, let site = subscription.site?.description else { return false }
            return site == text || site.hasSuffix("/" + text)
        }
        let sites = Set(handlers.compactMap { $0.site?.description }).sorted()
        if !sites.isEmpty {
            let name = (sites.count > 1 ? "One of the handlers at " : "The handler at ") + sites.joined(separator: ", ")
            self.init(receiving: handlers, name, definitions)
            return
        }
        // A binding to an observable feeds it without a handler.
        let bound = definitions.subscriptions.values.filter { subscription in
            guard let target = subscription.target.flatMap({ definitions.nodes[$0] }), target.kind == .observable,
                let site = subscription.site?.description, subscription.site != target.site
            else { return false }
            return site == text || site.hasSuffix("/" + text)
        }
        if !bound.isEmpty {
            let ids = Set(bound.compactMap(\.target)).sorted()
            let names = Set(ids.map { definitions.name(ofNode: $0) }).sorted().prefix(4).joined(separator: ", ")
            self.init(ids: ids, sentence: TerminalText.escaped("The binding at \(text) sets \(names)."))
            return
        }
        let nodes = NodeDirectory(definitions)
        let lines = Self.handlers(near: text, definitions)
        if !lines.isEmpty, case .unknown = nodes.find(text) {
            throw UsageError.unknownNode(text, trace: path, nearest: lines)
        }
        let ids = try nodes.ids(named: text, in: path, orEvent: orEvent)
        let inputs = definitions.subscriptions.values.filter { $0.target.map(ids.contains) == true }
        if !inputs.isEmpty, ids.allSatisfy({ [.binding, .observer].contains(definitions.nodes[$0]?.kind) }) {
            self.init(receiving: inputs, definitions.name(ofNode: ids[0]), definitions)
        } else {
            self.init(ids: ids, sentence: nil)
        }
    }

    /// The lines of handlers in the file of a line, the nearest first: 'Cart.swift:22' for 'Cart.swift:23'.
    private static func handlers(near text: String, _ definitions: TraceDefinitions) -> [String] {
        guard let colon = text.lastIndex(of: ":"), let line = Int(text[colon...].dropFirst()) else { return [] }
        let file = String(text[..<colon])
        let sites = definitions.subscriptions.values.filter { !$0.isInternal }.compactMap(\.site).filter {
            $0.file == file || $0.file.hasSuffix("/" + file)
        }
        func distance(_ site: TraceSite) -> UInt { site.line.distance(to: line).magnitude }
        return Set(sites).sorted { (distance($0), $0.line) < (distance($1), $1.line) }.prefix(3).map {
            "\(file):\($0.line)"
        }
    }

    private init(ids: [UInt32], sentence: String?) { (self.ids, self.sentence) = (ids, sentence) }

    private init(receiving subscriptions: [TraceSubscription], _ handler: String, _ definitions: TraceDefinitions) {
        let ids = Set(subscriptions.map(\.source)).sorted()
        let names = Set(ids.map { definitions.name(ofNode: $0) }).sorted()
        let listed = names.prefix(4).joined(separator: ", ") + (names.count > 4 ? " and \(names.count - 4) more" : "")
        self.init(ids: ids, sentence: TerminalText.escaped("\(handler) receives the values of \(listed)."))
        handlers = subscriptions.filter { !$0.isInternal }.map(\.id).sorted()
    }
}
