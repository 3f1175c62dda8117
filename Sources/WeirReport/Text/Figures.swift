/// Formats numbers for people.
package enum Figures {
    /// A count with commas between groups of three digits: "1,204,311".
    package static func count(_ number: some BinaryInteger) -> String {
        let digits = String(number.magnitude)
        var result = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0 && (digits.count - index) % 3 == 0 { result.append(",") }
            result.append(digit)
        }
        return result
    }

    /// A count and its noun: "1 event", "1,204 events".
    package static func count(_ number: some BinaryInteger, _ singular: String, _ plural: String? = nil)
        -> String
    {
        "\(count(number)) \(number == 1 ? singular : plural ?? singular + "s")"
    }

    /// A size in bytes, or in a suitable power of 1024, with at most one decimal: "36 KiB", "4.1 MiB".
    package static func bytes(_ number: UInt64) -> String {
        guard number >= 1024 else { return count(number, "byte") }
        var unit = 1
        while unit < units.count && number >> (10 * unit) >= 1024 { unit += 1 }
        return tenths(Double(number) / Double(UInt64(1) << (10 * unit))) + " " + units[unit - 1]
    }

    /// A duration in a suitable unit: "870 ns", "12.3 µs", "1.5 s", "3 min 20 s".
    package static func duration(nanoseconds: UInt64) -> String {
        switch nanoseconds {
        case 0: return "0"
        case ..<1000: return "\(nanoseconds) ns"
        case ..<999_950: return tenths(Double(nanoseconds) / 1e3) + " µs"
        case ..<999_950_000: return tenths(Double(nanoseconds) / 1e6) + " ms"
        case ..<59_950_000_000: return tenths(Double(nanoseconds) / 1e9) + " s"
        default:
            let seconds = nanoseconds / 1_000_000_000
            let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
            return hours > 0 ? "\(count(hours)) h \(minutes) min" : "\(minutes) min \(seconds % 60) s"
        }
    }

    /// Microseconds with one decimal: "1204.3".
    package static func microseconds(nanoseconds: UInt64) -> String {
        let tenths = nanoseconds / 100
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// A moment in universal time: "2026-11-21 01:25:07 UTC".
    ///
    /// The calendar is the proleptic Gregorian one. The conversion from days to dates follows Howard Hinnant,
    /// 'chrono-compatible low-level date algorithms'.
    package static func moment(wallClockNanoseconds: Int64) -> String {
        let date = calendar(wallClockNanoseconds)
        return "\(date.day) \(date.time) UTC"
    }

    /// A moment in universal time in ISO 8601 format: "2026-11-21T01:25:07.123456789Z".
    package static func isoMoment(wallClockNanoseconds: Int64) -> String {
        let date = calendar(wallClockNanoseconds)
        return "\(date.day)T\(date.time).\(padded(date.fraction, 9))Z"
    }

    private static let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]

    private static func tenths(_ number: Double) -> String {
        let scaled = Int((number * 10).rounded())
        return scaled % 10 == 0 ? "\(count(scaled / 10))" : "\(count(scaled / 10)).\(scaled % 10)"
    }

    private static func calendar(_ nanoseconds: Int64) -> (day: String, time: String, fraction: Int64) {
        let (seconds, fraction) = floorDivision(nanoseconds, 1_000_000_000)
        let (days, second) = floorDivision(seconds, 86_400)
        // Eras of 400 years that begin on 1 March of year 0.
        let (era, dayOfEra) = floorDivision(days + 719_468, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let time = "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
        return ("\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))", time, fraction)
    }

    private static func floorDivision(_ number: Int64, _ divisor: Int64) -> (
        quotient: Int64, remainder: Int64
    ) {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
