import WeirTrace

/// How an array has changed: what it is now, and what turns the former array into it.
public struct ArrayChange<Element: Equatable & SendableMetatype> {
    /// The array after the change.
    public let elements: [Element]
    /// What has to be applied to the array before the change.
    public let difference: CollectionDifference<Element>
}

extension ArrayChange: Sendable where Element: Sendable {}
extension ArrayChange: Equatable {}

/// Elements stay out of traces: their number says enough.
extension ArrayChange: TraceValueConvertible {
    /// For instance '3 elements, 1 change'.
    public var traceDescription: String {
        func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
        return "\(count(elements.count, "element")), \(count(difference.count, "change"))"
    }
}
