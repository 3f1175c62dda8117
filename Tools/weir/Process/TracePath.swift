/// The path that a recorder is given, and the names of the files that it writes for it.
///
/// %p stands for the id of the process. A process that finds the file taken puts its id behind the name:
/// 'login-4711.weir' for 'login.weir'.
struct TracePath: Equatable {
    private static let suffix = ".weir"
    let text: String

    /// Everything up to the file's name: empty, or with a slash at its end.
    var directory: String { text.lastIndex(of: "/").map { String(text[...$0]) } ?? "" }

    /// Without the directory.
    var name: TracePath { TracePath(text: String(text.dropFirst(directory.count))) }

    /// The file of a process that finds it free.
    func file(of process: UInt32) -> String {
        var result = ""
        for character in text {
            if character == "p" && result.last == "%" {
                result.removeLast()
                result += "\(process)"
            } else {
                result.append(character)
            }
        }
        return result
    }

    /// The file of a process that finds the first one taken.
    func ownFile(of process: UInt32) -> String {
        text.hasSuffix(Self.suffix)
            ? "\(text.dropLast(Self.suffix.count))-\(process)\(Self.suffix)" : "\(text)-\(process)"
    }

    /// The process whose id the name of one of these files holds; nil for every other name.
    func process(ofFile other: String) -> UInt32? {
        other.split { !("0"..."9").contains($0) }.lazy.compactMap { UInt32($0) }
            .first { other == ownFile(of: $0) || other == file(of: $0) && text != other }
    }
}
