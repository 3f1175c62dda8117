/// The definitions of the ids in a trace's events; a damaged trace may lack some.
public struct TraceDefinitions: Sendable, Equatable {
    /// Nodes by id.
    public var nodes: [UInt32: TraceNode] = [:]
    /// Subscriptions by id.
    public var subscriptions: [UInt32: TraceSubscription] = [:]
    /// Tracked objects by id.
    public var objects: [UInt32: TraceObject] = [:]
    /// The program's declarations of intended findings, by node: each declaration once, at most 64 per node.
    public var intentions: [UInt32: [TraceIntention]] = [:]
    /// The executor spans of each thread, in the order of events; before the first one, a thread runs its own work.
    public var executorSpans: [UInt32: [ExecutorSpan]] = [:]
    /// The executors that have a number among those of the threads.
    public var runners: [UInt32: ExecutorSpan.Runner] = [:]
    /// The lines that write, by the number that events of the kind `written` have as their count.
    public var writeSites: [UInt32: TraceWriteSite] = [:]
    /// The parts of snapshots that are present.
    var snapshots: [UInt32: SnapshotParts] = [:]

    /// No definitions.
    public init() {}

    /// Adds `intention`, unless it is a duplicate or the node already has 64.
    mutating func add(_ intention: TraceIntention) {
        let known = intentions[intention.node] ?? []
        guard known.count < TraceIntention.most, !known.contains(intention) else { return }
        intentions[intention.node, default: []].append(intention)
    }

    /// Whether all parts of a snapshot are in the trace; their content may still be damaged.
    public func hasSnapshot(_ number: UInt32) -> Bool { snapshots[number]?.areAll ?? false }

    /// The node's name, or "node 12" if the trace does not define it.
    public func name(ofNode id: UInt32) -> String {
        nodes[id]?.name ?? TraceNode.name(ofUndefined: id)
    }
}

/// The source line that made a node or subscription.
public struct TraceSite: Hashable, Sendable, CustomStringConvertible {
    /// Module and file, as `#fileID` gives them: "Login/LoginView.swift".
    public var file: String
    /// The line, from 1.
    public var line: Int

    /// Line `line` of `file`.
    public init(file: String, line: Int) {
        self.file = file
        self.line = line
    }

    /// "Login/LoginView.swift:12".
    public var description: String { "\(file):\(line)" }

    /// Without the module: "LoginView.swift:12".
    public var shortDescription: String {
        "\(file.split(separator: "/").last.map(String.init) ?? file):\(line)"
    }
}

/// A place in the program that writes a node: a call of `emit` or `modify`, or an assignment.
public struct TraceWriteSite: Sendable, Equatable {
    /// The id, by which events mention it.
    public var id: UInt32
    /// The function that contains the call, without its module: "LoginViewModel.signIn()"; nil: unknown.
    public var function: String?
    /// The line of the call; nil if the program has no debug information.
    ///
    /// In optimized code it may be the line at which the function is declared, or a line of code that was inlined there.
    public var site: TraceSite?

    /// A write site.
    public init(id: UInt32, function: String?, site: TraceSite?) {
        self.id = id
        self.function = function
        self.site = site
    }
}

extension TraceDefinitions {
    /// The write site of an event of the kind `written`; nil for others, or if the trace does not define it.
    public func writeSite(of event: TraceEvent) -> TraceWriteSite? {
        guard event.kind == .written, let id = UInt32(exactly: event.count) else { return nil }
        return writeSites[id]
    }
}

/// A tracked object, as defined in the trace.
public struct TraceObject: Sendable, Equatable {
    /// The id of the object in events.
    public var id: UInt32
    /// Its type.
    public var type: String?
    /// The name assigned by adoption.
    public var label: String?

    /// An object; omit unknown details.
    public init(id: UInt32, type: String? = nil, label: String? = nil) {
        self.id = id
        self.type = type
        self.label = label
    }

    /// Its label, else its type, else "object 12".
    public var name: String { label ?? type ?? "object \(id)" }
}

/// A declaration of the program that a rule's findings at a node are intended.
public struct TraceIntention: Sendable, Equatable {
    /// The most intentions kept for one node.
    package static let most = 64

    /// The id of the node.
    public var node: UInt32
    /// The rule's name; see `RedundancyRule`. Later versions may add names.
    public var rule: String
    /// The reason why it is intended.
    public var reason: String
    /// The source line of the declaration.
    public var site: TraceSite?

    /// An intention.
    public init(node: UInt32, rule: String, reason: String, site: TraceSite? = nil) {
        self.node = node
        self.rule = rule
        self.reason = reason
        self.site = site
    }
}

/// A subscription, as defined in the trace.
public struct TraceSubscription: Sendable, Equatable {
    /// The id of the subscription in events.
    public var id: UInt32
    /// The observed node.
    public var source: UInt32
    /// The node that it feeds: an observer or a combiner; `nil`: a closure.
    public var target: UInt32?
    /// Whether it feeds a node of the graph; otherwise it is terminal, and its deliveries are refreshes.
    public var isInternal: Bool
    /// Whether it triggers the node without providing a value.
    public var isTiming: Bool
    /// Whether an `await` waits for its first value: the program has no subscription that it could dispose.
    public var isOfAwait: Bool
    /// The call site that made it.
    public var site: TraceSite?
    /// The id of the object on whose behalf it works, if the program named one.
    public var owner: UInt32?

    /// A subscription; omit unknown details.
    public init(
        id: UInt32, source: UInt32, target: UInt32? = nil, isInternal: Bool = false, isTiming: Bool = false,
        isOfAwait: Bool = false, site: TraceSite? = nil, owner: UInt32? = nil
    ) {
        self.id = id
        self.source = source
        self.target = target
        self.isInternal = isInternal
        self.isTiming = isTiming
        self.isOfAwait = isOfAwait
        self.site = site
        self.owner = owner
    }
}
