/// One measured number of a workload, and its goal, if it has one.
struct Figure: Codable {
    let name: String
    /// Nil if it could not be measured here.
    let value: Double?
    /// Empty for a ratio or a plain count.
    let unit: String
    /// The value to aim for, where it is lower than `atMost`.
    var goal: Double?
    /// The highest acceptable value.
    var atMost: Double?

    init(_ name: String, _ value: Double?, _ unit: String, goal: Double? = nil, atMost: Double? = nil) {
        self.name = name
        self.value = value
        self.unit = unit
        self.goal = goal
        self.atMost = atMost
    }

    var title: String { unit.isEmpty ? name : "\(name) [\(unit)]" }

    /// A figure that could not be measured misses nothing.
    var isMissed: Bool {
        guard let value, let atMost else { return false }
        return !(value <= atMost)
    }

    var text: String {
        guard let value else { return "n/a" }
        let number = Self.number(value)
        guard let atMost else { return number }
        let hope = goal.map { ", goal ≤ \(Self.number($0))" } ?? ""
        return "\(number) (\(isMissed ? "missed: " : "")≤ \(Self.number(atMost))\(hope))"
    }

    /// At least three significant digits.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return "n/a" }
        let decimals =
            value == value.rounded() || abs(value) >= 1000
            ? 0 : abs(value) >= 100 ? 1 : abs(value) >= 1 ? 2 : 3
        var scaled = abs(value)
        for _ in 0..<decimals { scaled *= 10 }
        let digits = String(UInt64(scaled.rounded()))
        guard decimals > 0 else { return (value < 0 ? "-" : "") + digits }
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        return (value < 0 ? "-" : "") + padded.dropLast(decimals) + "." + padded.suffix(decimals)
    }
}
