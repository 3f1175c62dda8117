extension RedactionPlan {
    /// Writes the value at the scanner's position, or that it is withheld; false if there is no well-formed value.
    ///
    /// - Parameter node: the node that the value belongs to; nil: unknown.
    func value(
        _ scanner: inout ByteScanner, of node: UInt32?, _ bytes: inout [UInt8], _ counts: inout RedactionCounts
    ) -> Bool {
        let start = scanner.position
        guard TraceValue.skip(&scanner) else { return false }
        let whole = UnsafeRawBufferPointer(start: scanner.base + start, count: scanner.position - start)
        switch TraceFormat.ValueForm(rawValue: whole[0]) {
        case .notRecorded?, .withheld?: bytes.append(whole[0])
        case let form? where isShown(whole, form, node, &counts): bytes += whole
        default:
            bytes.append(TraceFormat.ValueForm.withheld.rawValue)
            counts.values += 1
        }
        return true
    }

    /// Whether a value is understood, its node keeps its values, and it equals no removed value.
    private func isShown(
        _ value: UnsafeRawBufferPointer, _ form: TraceFormat.ValueForm, _ node: UInt32?, _ counts: inout RedactionCounts
    ) -> Bool {
        guard let node, !hides(node) else { return false }
        let removed = trusted.contains(node) ? nil : removed
        guard removed != nil || form == .enumCase else { return true }
        guard let decoded = TraceValue(body: value) else { return false }
        // The payload of an enum case may have a shape that only a later version knows.
        if case .unknown = decoded { return false }
        guard let removed, removed.contains(decoded) else { return true }
        counts.equalValues += 1
        return false
    }
}
