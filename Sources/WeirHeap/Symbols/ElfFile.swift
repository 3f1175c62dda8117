/// A program file in the ELF format of Linux and most of its relatives: 64 bits, least byte first.
///
/// Source: 'Tool Interface Standard: Executable and Linking Format', version 1.2, and its 64-bit form. The file is not trusted:
/// whatever it contains, nothing outside it is read.
struct ElfFile {
    /// A named part of the file.
    struct Section {
        var kind: UInt32
        /// The index of another section that this one needs: for symbols, their names.
        var link: UInt32
        var bytes: UnsafeRawBufferPointer
    }

    private static let compressed: UInt64 = 0x800
    private static let withoutBytes: UInt32 = 8
    private static let headerSize: UInt64 = 64, sectionHeaderSize: UInt64 = 64

    private let bytes: UnsafeRawBufferPointer
    private let sectionTable: UInt64, sectionCount: UInt64, nameSection: UInt64

    /// Nil if the bytes are not a file in this format.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var cursor = ByteCursor(bytes)
        guard cursor.word() == 0x464c_457f, cursor.byte() == 2, cursor.byte() == 1 else { return nil }
        cursor.move(to: 40)
        sectionTable = cursor.long()
        cursor.move(to: 58)
        guard cursor.half() == Self.sectionHeaderSize else { return nil }
        sectionCount = UInt64(cursor.half())
        nameSection = UInt64(cursor.half())
        guard !cursor.isBroken, bytes.count >= Self.headerSize else { return nil }
        self.bytes = bytes
    }

    /// The section at this index of the table; nil if it is missing, compressed, or outside the file.
    func section(_ index: UInt64) -> Section? {
        guard let header = header(index), header.flags & Self.compressed == 0, header.kind != Self.withoutBytes,
            header.offset <= bytes.count, header.size <= UInt64(bytes.count) - header.offset
        else { return nil }
        let start = Int(header.offset)
        return Section(
            kind: header.kind, link: header.link,
            bytes: UnsafeRawBufferPointer(rebasing: bytes[start..<start + Int(header.size)]))
    }

    /// The section with this name.
    func section(named name: StaticString) -> Section? {
        guard let names = section(nameSection) else { return nil }
        return first { header in
            var cursor = ByteCursor(names.bytes, at: Int(header.name))
            return cursor.text().elementsEqual(
                UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        }
    }

    /// The first section of this kind.
    func section(kind: UInt32) -> Section? { first { $0.kind == kind } }

    private typealias Header = (name: UInt32, kind: UInt32, flags: UInt64, offset: UInt64, size: UInt64, link: UInt32)

    private func first(_ matches: (Header) -> Bool) -> Section? {
        for index in 0..<sectionCount {
            if let header = header(index), matches(header) { return section(index) }
        }
        return nil
    }

    private func header(_ index: UInt64) -> Header? {
        guard index < sectionCount, sectionTable <= UInt64(bytes.count) else { return nil }
        var cursor = ByteCursor(bytes, at: Int(sectionTable))
        cursor.skip(index * Self.sectionHeaderSize)
        let name = cursor.word(), kind = cursor.word(), flags = cursor.long()
        _ = cursor.long()
        let offset = cursor.long(), size = cursor.long(), link = cursor.word()
        return cursor.isBroken ? nil : (name, kind, flags, offset, size, link)
    }
}
