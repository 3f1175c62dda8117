import Dispatch

extension DispatchTimeInterval {
    /// In nanoseconds, not negative; `UInt64.max`: never.
    @usableFromInline package var waitingTime: UInt64 {
        let (count, unit): (Int, Int64) =
            switch self {
            case .seconds(let count): (count, 1_000_000_000)
            case .milliseconds(let count): (count, 1_000_000)
            case .microseconds(let count): (count, 1000)
            case .nanoseconds(let count): (count, 1)
            case .never: (Int.max, Int64.max)
            @unknown default: (Int.max, Int64.max)
            }
        guard count > 0 else { return 0 }
        let (product, isTooLong) = UInt64(count).multipliedReportingOverflow(by: UInt64(unit))
        return isTooLong ? .max : product
    }

    /// An interval of that many nanoseconds; more than 292 years mean never.
    static func waiting(_ time: UInt64) -> DispatchTimeInterval {
        Int(exactly: time).map { .nanoseconds($0) } ?? .never
    }
}
