/// Reads times and sizes in the form that people type on a command line.
enum Quantities {
    /// Nanoseconds of "12ms", "1.5s", "300us", "300µs", "80ns", "2min"; nil for anything else.
    ///
    /// A number without a unit is not a time, but 0 is.
    static func nanoseconds(_ text: String) -> UInt64? {
        if text == "0" { return 0 }
        let units: [(String, UInt64)] = [
            ("ns", 1), ("us", 1000), ("µs", 1000), ("μs", 1000), ("ms", 1_000_000), ("min", 60_000_000_000),
            ("s", 1_000_000_000),
        ]
        guard let (suffix, scale) = units.first(where: { text.hasSuffix($0.0) }) else { return nil }
        return scaled(text.dropLast(suffix.count), by: scale)
    }

    /// Bytes of "65536", "512KiB", "64M", "1.5GiB"; powers of 1024; nil for anything else.
    static func bytes(_ text: String) -> UInt64? {
        let units: [(String, UInt64)] = [
            ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("K", 1 << 10), ("M", 1 << 20),
            ("G", 1 << 30),
        ]
        if let (suffix, scale) = units.first(where: { text.hasSuffix($0.0) }) {
            return scaled(text.dropLast(suffix.count), by: scale)
        }
        return scaled(text[...], by: 1)
    }

    /// A decimal number times `scale`, rounded down; exact, without floating point.
    private static func scaled(_ text: Substring, by scale: UInt64) -> UInt64? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let whole = UInt64(parts[0])
        else { return nil }
        var (result, overflow) = whole.multipliedReportingOverflow(by: scale)
        guard !overflow, parts.count == 2 else { return overflow ? nil : result }
        let digits = parts[1].prefix(9)
        guard let fraction = UInt64(digits) else { return nil }
        let divisor = digits.reduce(UInt64(1)) { power, _ in power * 10 }
        // scale ≤ 6e10 and fraction < 1e9, so the product may exceed 64 bits: it is divided at full width.
        let part = divisor.dividingFullWidth(scale.multipliedFullWidth(by: fraction)).quotient
        (result, overflow) = result.addingReportingOverflow(part)
        return overflow ? nil : result
    }
}
