import WeirAnalysis

/// Explains the refreshes of a table, because not all of them show something.
enum Refreshes {
    /// A sentence for a table whose refreshes are too low because some deliveries belong to no row.
    static func shortfall(_ deliveries: UInt64) -> String {
        "\(Figures.count(deliveries, "delivery", "deliveries")) could not be attributed, since the trace does not "
            + "define the subscriptions: refreshes are too low."
    }

    /// A line below a table of one or several summaries; nil if there is no refresh.
    static func explanation(_ summaries: [TraceSummary]) -> String? {
        guard summaries.contains(where: { $0.refreshes > 0 }) else { return nil }
        let definition = "Refreshes are deliveries to handlers, such as views"
        let counts = summaries.map(\.carriedOn)
        guard counts.contains(where: { $0 > 0 }) else { return definition + "." }
        let isSame = Set(counts).count == 1
        let figures = (isSame ? [counts[0]] : counts).map { Figures.count($0) }.joined(separator: " → ")
        return "\(definition); \(figures) of them carried a value on, such as a user's input."
    }
}
