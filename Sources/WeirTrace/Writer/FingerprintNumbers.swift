/// Numbers fingerprints in the order of their first appearance.
///
/// Hash values differ from run to run. Under a virtual clock, a trace must have the same bytes on every run, so its
/// fingerprints are these numbers.
final class FingerprintNumbers: @unchecked Sendable {
    private let lock = SystemLock()
    private var numbers: [UInt64: UInt64] = [:]

    func number(of hash: UInt64) -> UInt64 {
        lock.withLock {
            let next = UInt64(numbers.count) + 1
            let number = numbers[hash] ?? next
            numbers[hash] = number
            return number
        }
    }
}
