/// Why a benchmark cannot be run or its result not be trusted; a sentence.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String
    var isUsage = false

    init(_ description: String, isUsage: Bool = false) {
        self.description = description
        self.isUsage = isUsage
    }
}
