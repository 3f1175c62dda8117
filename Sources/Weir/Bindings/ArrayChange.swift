import WeirRecording

/// A change of an array: its new elements, and the difference from its former elements.
public struct ArrayChange<Element: Equatable & SendableMetatype> {
    /// The array after the change.
    public let elements: [Element]
    /// The difference to apply to the array before the change.
    public let difference: CollectionDifference<Element>
}

extension ArrayChange: Sendable where Element: Sendable {}
extension ArrayChange: Equatable {}

/// Traces hold the number of elements, not the elements.
extension ArrayChange: TraceValueConvertible {
    /// For instance '3 elements, 1 change'.
    public var traceDescription: String {
        func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
        return "\(count(elements.count, "element")), \(count(difference.count, "change"))"
    }
}
