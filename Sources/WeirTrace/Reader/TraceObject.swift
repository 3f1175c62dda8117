/// A tracked object, as its definition in the trace tells it.
public struct TraceObject: Sendable, Equatable {
    /// The number by which events name it.
    public var id: UInt32
    /// Its type.
    public var type: String?
    /// The name that adoption gave.
    public var label: String?

    /// An object; what is unknown about it is left out.
    public init(id: UInt32, type: String? = nil, label: String? = nil) {
        self.id = id
        self.type = type
        self.label = label
    }

    /// Its label, else its type, else "object 12".
    public var name: String { label ?? type ?? "object \(id)" }
}
