/// A kind of hostile trace, in any size: what it takes to read it must grow no faster than the file, but for a logarithm.
public struct CraftedTrace: Sendable, CustomStringConvertible {
    /// A word for it.
    public let name: String
    /// Its name.
    public var description: String { name }
    private let craft: @Sendable (_ file: inout CraftedFile, _ records: Int) -> Void

    init(_ name: String, _ craft: @escaping @Sendable (inout CraftedFile, Int) -> Void) {
        self.name = name
        self.craft = craft
    }

    /// The bytes of a file of about so many records.
    public func bytes(records: Int) -> [UInt8] {
        var file = CraftedFile()
        craft(&file, max(100, records))
        return file.finish()
    }

    /// All kinds.
    public static let all = graphs + turns + findings + lives
}
