/// Degrees of activity on a logarithmic scale.
enum SVGHeat {
    /// 0 for nothing, the highest for `greatest`, and at least 1 for anything.
    static func level(_ activity: UInt64, of greatest: UInt64, levels: Int) -> Int {
        guard activity > 0, greatest > 0, levels > 1 else { return 0 }
        let share = logarithm(activity) / logarithm(max(activity, greatest))
        return max(1, min(levels - 1, Int((share * Double(levels - 1)).rounded())))
    }

    /// The logarithm to base two of one more, straight between powers.
    private static func logarithm(_ number: UInt64) -> Double {
        let value = Double(number) + 1
        return Double(value.exponent) + value.significand - 1
    }
}
