/// A node of the data-flow graph, as its definition in the trace tells it.
public struct TraceNode: Sendable, Equatable {
    /// The number by which events name it.
    public var id: UInt32
    /// The kind as the file has it; a later version may have added kinds.
    public var rawKind: UInt8
    /// Its values are withheld.
    public var isPrivate: Bool
    /// By which means it came into the trace.
    public var technique: NodeTechnique
    /// The property path that adoption gave: "LoginViewModel.username".
    public var label: String?
    /// The type of its values.
    public var valueType: String?
    /// Where it was made.
    public var site: TraceSite?
    /// The adopted object that it belongs to.
    public var owner: UInt32?
    /// The value held when its first definition in the trace was written: what it held until its first emission.
    public var value: TraceValue

    /// A node; what is unknown about it is left out.
    public init(
        id: UInt32, rawKind: UInt8, isPrivate: Bool = false, technique: NodeTechnique = .weir, label: String? = nil,
        valueType: String? = nil, site: TraceSite? = nil, owner: UInt32? = nil, value: TraceValue = .notRecorded
    ) {
        self.id = id
        self.rawKind = rawKind
        self.isPrivate = isPrivate
        self.technique = technique
        self.label = label
        self.valueType = valueType
        self.site = site
        self.owner = owner
        self.value = value
    }

    /// The kind; `nil` for one that this version does not know.
    public var kind: NodeKind? { NodeKind(rawValue: rawKind) }

    /// Its label, else its kind and site ("observable LoginView.swift:12"), else "node 12".
    public var name: String {
        if let label { return label }
        guard let site else { return Self.name(ofUndefined: id) }
        return "\(kind?.name ?? "node") \(site.shortDescription)"
    }

    /// What a node is called of which the trace has no definition: "node 12".
    public static func name(ofUndefined id: UInt32) -> String { "node \(id)" }
}

extension NodeKind {
    /// The kind's name, as its maker writes it: "observable", "combineLatest", "deliver(on:)".
    public var name: String {
        switch self {
        case .deliver: "deliver(on:)"
        case .subscribe: "subscribe(on:)"
        default: "\(self)"
        }
    }
}
