/// A program or library in the Mach-O format of Apple platforms: 64 bits, least byte first; loaded, or as a file for one processor.
///
/// Source: `mach-o/loader.h` and `mach-o/nlist.h`. The bytes are not trusted: whatever they contain, nothing outside them is read.
/// Addresses are those for which the image was linked. Those of functions carry no signature, which the processors of arm64e
/// demand at a call.
struct MachImage {
    /// A piece of the image's memory.
    struct Segment: Equatable {
        /// The text before its first zero byte, of at most 16.
        var name: String
        var address: UInt64
        var size: UInt64
        var fileOffset: UInt64
        var fileSize: UInt64
        /// Whether the program may read it, and whether it may write to it.
        var isReadable: Bool
        var isWritable: Bool
    }

    private static let headerSize = 32
    private static let segmentCommand: UInt32 = 0x19, symbolCommand: UInt32 = 0x2
    private static let exportsCommand: UInt32 = 0x8000_0033, linkCommands: [UInt32] = [0x22, 0x8000_0022]

    /// The segments, in the order of the image.
    private(set) var segments: [Segment] = []
    /// The end of each section, in the order in which symbols count them, from 1.
    private(set) var sectionEnds: [UInt64] = []
    /// The symbols, of 16 bytes each, and their names; empty if there are none.
    private(set) var symbols = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var names = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The tree of exported symbols; empty if there is none.
    private(set) var exports = UnsafeRawBufferPointer(start: nil, count: 0)

    /// The number of bytes of header and load commands; nil if `header`, which has 32 bytes, does not begin an image.
    static func headerSize(_ header: UnsafeRawBufferPointer) -> Int? {
        var cursor = ByteCursor(header)
        guard cursor.word() == 0xfeed_facf else { return nil }
        cursor.move(to: 20)
        let commands = Int(cursor.word())
        return cursor.isBroken ? nil : headerSize + commands
    }

    /// A file. Nil if the bytes are not one.
    init?(file bytes: UnsafeRawBufferPointer) {
        self.init(header: bytes) { _ in (bytes, fileOffset: 0) }
    }

    /// An image whose header and load commands are at the start of `header`.
    ///
    /// The symbols are in another part of the image. `link` returns those bytes and their offset in the file, when asked with
    /// the segment for them, or with nil if there is none.
    init?(
        header: UnsafeRawBufferPointer, link: (Segment?) -> (bytes: UnsafeRawBufferPointer, fileOffset: UInt64)?
    ) {
        guard let size = Self.headerSize(header), size <= header.count else { return nil }
        var cursor = ByteCursor(header, at: 16)
        let count = cursor.word()
        var commands = ByteCursor(UnsafeRawBufferPointer(rebasing: header[Self.headerSize..<size]))
        var tables: (symbols: ByteCursor?, exports: ByteCursor?)
        for _ in 0..<count {
            let kind = commands.word(), length = commands.word()
            guard length >= 8, !commands.isBroken else { break }
            var command = commands.slice(UInt64(length) - 8)
            guard !commands.isBroken else { break }
            switch kind {
            case Self.segmentCommand: addSegment(&command)
            case Self.symbolCommand: tables.symbols = tables.symbols ?? command
            case Self.exportsCommand: tables.exports = command
            case _ where Self.linkCommands.contains(kind):
                // After five pairs of an offset and a size.
                command.skip(32)
                tables.exports = tables.exports ?? command
            default: break
            }
        }
        guard let (bytes, fileOffset) = link(segments.first { $0.name == "__LINKEDIT" }) else { return }
        func part(_ offset: UInt32, _ size: UInt64) -> UnsafeRawBufferPointer? {
            guard let start = Int(exactly: Int64(offset) - Int64(clamping: fileOffset)), start >= 0,
                start <= bytes.count, size <= UInt64(bytes.count - start)
            else { return nil }
            return UnsafeRawBufferPointer(rebasing: bytes[start..<start + Int(size)])
        }
        if var command = tables.symbols {
            let (offset, count, nameOffset, nameSize) = (command.word(), command.word(), command.word(), command.word())
            if !command.isBroken, let symbols = part(offset, UInt64(count) * 16),
                let names = part(nameOffset, UInt64(nameSize))
            {
                (self.symbols, self.names) = (symbols, names)
            }
        }
        if var command = tables.exports {
            let (offset, size) = (command.word(), command.word())
            if !command.isBroken, let tree = part(offset, UInt64(size)) { exports = tree }
        }
    }

    private mutating func addSegment(_ command: inout ByteCursor) {
        let name = Self.name(&command)
        let address = command.long(), size = command.long(), fileOffset = command.long(), fileSize = command.long()
        _ = command.word()
        let protection = command.word(), count = command.word()
        _ = command.word()
        guard !command.isBroken else { return }
        segments.append(
            Segment(
                name: name, address: address, size: size, fileOffset: fileOffset, fileSize: fileSize,
                isReadable: protection & 1 != 0, isWritable: protection & 2 != 0))
        // A symbol has one byte for the number of its section.
        for _ in 0..<count {
            guard sectionEnds.count < 255 else { return }
            command.skip(32)
            let start = command.long(), size = command.long()
            command.skip(32)
            guard !command.isBroken else { return }
            let (end, overflow) = start.addingReportingOverflow(size)
            sectionEnds.append(overflow ? 0 : end)
        }
    }

    /// A name that fills 16 bytes, or ends with a zero byte before.
    private static func name(_ command: inout ByteCursor) -> String {
        String(decoding: command.slice(16).bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// The address of the header: the exported addresses are relative to it.
    var headerAddress: UInt64? { segments.first { $0.name == "__TEXT" }?.address }
}
