import WeirAnalysis

/// The activity of a graph's nodes, compared with the busiest of them.
struct GraphHeat {
    /// The highest level; level 0 means no activity.
    static let hottest = 4

    private let most: UInt64

    init(_ graph: FlowGraph) { most = graph.nodes.lazy.map(\.activity).max() ?? 0 }

    /// From 0 to `hottest`.
    func level(_ activity: UInt64) -> Int { Self.level(activity, of: most, hottest: Self.hottest) }

    /// A level from 0 (no activity) to `hottest` (the most).
    ///
    /// The scale is logarithmic: a node and one ten times as active differ on any scale.
    static func level(_ activity: UInt64, of most: UInt64, hottest: Int) -> Int {
        guard activity > 0 else { return 0 }
        guard activity < most else { return hottest }
        let share = logarithm(activity) / logarithm(most)
        return 1 + min(hottest - 2, Int(share * Double(hottest - 1)))
    }

    /// A bar as long as the share of the busiest node's activity; any activity gives a visible bar.
    func bar(_ activity: UInt64, cells: Int) -> String {
        guard activity > 0, most > 0 else { return "" }
        let eighths = max(1, Int(Double(activity) / Double(most) * Double(cells * 8)))
        let rest = eighths % 8
        return String(repeating: "█", count: eighths / 8) + (rest > 0 ? Self.parts[rest - 1] : "")
    }

    private static let parts = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    /// The logarithm to the base 2, linear between the powers of 2.
    private static func logarithm(_ number: UInt64) -> Double {
        let number = Double(number)
        return Double(number.exponent) + number.significand - 1
    }
}
