/// A node of the data-flow graph, as defined in the trace.
public struct TraceNode: Sendable, Equatable {
    /// The id of the node in events.
    public var id: UInt32
    /// The kind as stored in the file; later versions may have added kinds.
    public var rawKind: UInt8
    /// Whether its values are withheld.
    public var isPrivate: Bool
    /// The technique with which the program brought it into the trace.
    public var technique: NodeTechnique
    /// The updates that a combiner evaluates; nil: unknown, or no combiner.
    public var strategy: NodeStrategy?
    /// The property path assigned by adoption: "LoginViewModel.username".
    public var label: String?
    /// The type of its values.
    public var valueType: String?
    /// The source line that made it.
    public var site: TraceSite?
    /// The adopted object that it belongs to.
    public var owner: UInt32?
    /// The value at the time of its first definition in the trace, valid until its first emission.
    public var value: TraceValue

    /// A node; omit unknown details.
    public init(
        id: UInt32, rawKind: UInt8, isPrivate: Bool = false, technique: NodeTechnique = .weir,
        strategy: NodeStrategy? = nil, label: String? = nil, valueType: String? = nil, site: TraceSite? = nil,
        owner: UInt32? = nil, value: TraceValue = .notRecorded
    ) {
        self.id = id
        self.rawKind = rawKind
        self.isPrivate = isPrivate
        self.technique = technique
        self.strategy = strategy
        self.label = label
        self.valueType = valueType
        self.site = site
        self.owner = owner
        self.value = value
    }

    /// The kind; `nil` if this version does not know it.
    public var kind: NodeKind? { NodeKind(rawValue: rawKind) }

    /// Its label, else its kind and site ("observable LoginView.swift:12"), else "node 12".
    public var name: String {
        if let label { return label }
        guard let site else { return Self.name(ofUndefined: id) }
        return "\(kind?.name ?? "node") \(site.shortDescription)"
    }

    /// The name of a node without a definition in the trace: "node 12".
    public static func name(ofUndefined id: UInt32) -> String { "node \(id)" }
}

extension NodeKind {
    /// The kind's name as in its API: "observable", "combineLatest", "deliver(on:)"; also that in JSON and tables.
    public var name: String {
        switch self {
        case .observable: "observable"
        case .emitter: "emitter"
        case .combiner: "combiner"
        case .observer: "observer"
        case .source: "source"
        case .command: "command"
        case .channel: "channel"
        case .array: "array"
        case .binding: "binding"
        case .foreign: "foreign"
        case .execution: "execution"
        case .map: "map"
        case .compactMap: "compactMap"
        case .filter: "filter"
        case .removeDuplicates: "removeDuplicates"
        case .scan: "scan"
        case .flatMap: "flatMap"
        case .combineLatest: "combineLatest"
        case .zip: "zip"
        case .merge: "merge"
        case .concat: "concat"
        case .startWith: "startWith"
        case .withLatest: "withLatest"
        case .take: "take"
        case .skip: "skip"
        case .takeUntil: "takeUntil"
        case .skipUntil: "skipUntil"
        case .throttle: "throttle"
        case .debounce: "debounce"
        case .delay: "delay"
        case .timeout: "timeout"
        case .buffer: "buffer"
        case .sample: "sample"
        case .catch: "catch"
        case .retry: "retry"
        case .materialize: "materialize"
        case .dematerialize: "dematerialize"
        case .share: "share"
        case .replay: "replay"
        case .onEvent: "onEvent"
        case .deliver: "deliver(on:)"
        case .subscribe: "subscribe(on:)"
        case .disclose: "disclose"
        case .current: "current"
        case .changes: "changes"
        case .reduce: "reduce"
        case .collect: "collect"
        case .last: "last"
        case .race: "race"
        case .multicast: "multicast"
        case .print: "print"
        }
    }
}
