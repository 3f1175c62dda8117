/// Numbers that replace removed texts in a copy; equal texts get equal numbers.
struct RemovedTexts {
    /// The most texts with different numbers, so that memory does not grow with the trace.
    static let most = 65_536

    private var numbers: [String: UInt64] = [:]

    /// The number of a text: from 1, in the order of first appearance.
    mutating func number(of text: String) -> UInt64 {
        if let known = numbers[text] { return known }
        let number = UInt64(numbers.count) + 1
        if numbers.count < Self.most { numbers[text] = number }
        return number
    }
}
