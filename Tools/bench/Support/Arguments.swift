/// Options (`--name value`), flags (`--name`) and words of a command line.
struct Arguments {
    private(set) var words: [String] = []
    private var values: [String: String] = [:]
    private var flags: Set<String> = []

    /// - Parameters:
    ///   - valued: names of options that take a value.
    ///   - flags: names of those that take none.
    init(_ arguments: [String], valued: Set<String>, flags known: Set<String>) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else {
                words.append(argument)
                continue
            }
            let name = String(argument.dropFirst(2))
            if known.contains(name) {
                flags.insert(name)
            } else if valued.contains(name) {
                guard let value = rest.popFirst() else {
                    throw BenchmarkError("\(argument) needs a value", isUsage: true)
                }
                values[name] = value
            } else {
                throw BenchmarkError("unknown option \(argument); try --help", isUsage: true)
            }
        }
    }

    func has(_ flag: String) -> Bool { flags.contains(flag) }

    func value(_ name: String) -> String? { values[name] }

    /// A number above zero.
    func number(_ name: String) throws -> Double? {
        guard let text = values[name] else { return nil }
        guard let number = Double(text), number > 0, number.isFinite else {
            throw BenchmarkError("--\(name) takes a number above zero, not '\(text)'", isUsage: true)
        }
        return number
    }

    /// A whole number above zero.
    func count(_ name: String) throws -> Int? {
        guard let text = values[name] else { return nil }
        guard let number = Int(text), number > 0 else {
            throw BenchmarkError("--\(name) takes a whole number above zero, not '\(text)'", isUsage: true)
        }
        return number
    }
}
