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
