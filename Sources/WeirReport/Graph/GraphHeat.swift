import WeirAnalysis

/// How much the nodes of a graph did, compared with the busiest of them.
struct GraphHeat {
    /// Levels run from 0, did nothing, to this.
    static let hottest = 4

    private let most: UInt64

    init(_ graph: FlowGraph) { most = graph.nodes.lazy.map(\.activity).max() ?? 0 }

    /// From 0 to `hottest`: by the logarithm, so that a node is told from one that did ten times as much, on any scale.
    func level(_ activity: UInt64) -> Int {
        guard activity > 0 else { return 0 }
        guard activity < most else { return Self.hottest }
        let share = Self.logarithm(activity) / Self.logarithm(most)
        return 1 + min(Self.hottest - 2, Int(share * Double(Self.hottest - 1)))
    }

    /// A bar as long as the share of the busiest node's activity; what did anything has some.
    func bar(_ activity: UInt64, cells: Int) -> String {
        guard activity > 0, most > 0 else { return "" }
        let eighths = max(1, Int(Double(activity) / Double(most) * Double(cells * 8)))
        let rest = eighths % 8
        return String(repeating: "█", count: eighths / 8) + (rest > 0 ? Self.parts[rest - 1] : "")
    }

    private static let parts = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    /// To the base 2, linear between the powers of 2.
    private static func logarithm(_ number: UInt64) -> Double {
        let number = Double(number)
        return Double(number.exponent) + number.significand - 1
    }
}
