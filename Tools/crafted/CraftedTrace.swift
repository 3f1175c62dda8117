/// A kind of hostile trace, in any size: the cost of reading it must grow no faster than n log n in the file's size.
public struct CraftedTrace: Sendable, CustomStringConvertible {
    /// A short name.
    public let name: String
    /// The name.
    public var description: String { name }
    private let craft: @Sendable (_ file: inout CraftedFile, _ records: Int) -> Void

    init(_ name: String, _ craft: @escaping @Sendable (inout CraftedFile, Int) -> Void) {
        self.name = name
        self.craft = craft
    }

    /// The bytes of a file with about `records` records.
    public func bytes(records: Int) -> [UInt8] {
        var file = CraftedFile()
        craft(&file, max(100, records))
        return file.finish()
    }

    /// All kinds.
    public static let all = graphs + turns + findings + lives
}
