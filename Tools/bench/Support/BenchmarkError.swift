/// Why a benchmark cannot run or its result cannot be trusted, as a sentence.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String
    var isUsage = false

    init(_ description: String, isUsage: Bool = false) {
        self.description = description
        self.isUsage = isUsage
    }
}
