#if canImport(Testing)
import Testing

extension RecordedTrace {
    /// Expects that `weir redundant` finds nothing in the recording but notes; otherwise records an issue with its report.
    public func expectNoRedundancy(sourceLocation: SourceLocation = #_sourceLocation) {
        expect(sourceLocation) { try redundancy() }
    }

    /// Expects that the last change of a node was caused by a stimulus or a node of that name, directly or not.
    public func expectCause(
        of node: String, is cause: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expect(sourceLocation) {
            let causes = try causes(of: node)
            if causes.dropLast().contains(cause) { return nil }
            if causes.isEmpty { return "\(node) did not change." }
            return
                "The last change of \(node) was not caused by '\(cause)' but by: \(causes.joined(separator: " → "))."
        }
    }

    private func expect(_ sourceLocation: SourceLocation, _ complaint: () throws -> String?) {
        do {
            guard let complaint = try complaint() else { return }
            Issue.record(Comment(rawValue: complaint), sourceLocation: sourceLocation)
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
        }
    }
}
#endif
