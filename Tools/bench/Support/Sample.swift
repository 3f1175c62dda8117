/// Measurements of the same thing; order statistics of them.
struct Sample {
    private(set) var values: [Double] = []

    mutating func add(_ value: Double) { values.append(value) }

    var median: Double { quantile(0.5) }
    var maximum: Double { values.max() ?? .nan }

    /// The smallest measurement that at least this share of all does not exceed (nearest rank).
    func quantile(_ share: Double) -> Double {
        guard !values.isEmpty else { return .nan }
        let rank = Int((share * Double(values.count)).rounded(.up))
        return values.sorted()[min(max(rank, 1), values.count) - 1]
    }
}
