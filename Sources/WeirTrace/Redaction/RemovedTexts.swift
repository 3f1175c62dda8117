/// Numbers for the texts that a copy does not hold, so that equal ones stay equal.
struct RemovedTexts {
    /// More different texts are not told apart: memory must not grow with the trace.
    static let most = 65_536

    private var numbers: [String: UInt64] = [:]

    /// From 1, in the order in which texts first come.
    mutating func number(of text: String) -> UInt64 {
        if let known = numbers[text] { return known }
        let number = UInt64(numbers.count) + 1
        if numbers.count < Self.most { numbers[text] = number }
        return number
    }
}
