/// The path given to a recorder, and the names of the files that it writes for it.
///
/// %p represents the process id. A process that finds the file taken appends its id to the name: 'login-4711.weir' for
/// 'login.weir'.
struct TracePath: Equatable {
    private static let suffix = ".weir"
    let text: String

    /// Everything before the file name: empty, or with a slash at its end.
    var directory: String { text.lastIndex(of: "/").map { String(text[...$0]) } ?? "" }

    /// Without the directory.
    var name: TracePath { TracePath(text: String(text.dropFirst(directory.count))) }

    /// The file of a process if the name is free.
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

    /// The file of a process if the first name is taken.
    func ownFile(of process: UInt32) -> String {
        text.hasSuffix(Self.suffix)
            ? "\(text.dropLast(Self.suffix.count))-\(process)\(Self.suffix)" : "\(text)-\(process)"
    }

    /// The process whose id is in the name of one of these files; nil for any other name.
    func process(ofFile other: String) -> UInt32? {
        other.split { !("0"..."9").contains($0) }.lazy.compactMap { UInt32($0) }
            .first { other == ownFile(of: $0) || other == file(of: $0) && text != other }
    }
}
