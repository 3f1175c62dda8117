/// The header of a unit of `.debug_line`.
struct LineTableHeader {
    /// The operations of the unit.
    let program: UnsafeRawBufferPointer
    let version: UInt16
    let instructionLength: UInt64
    let lineBase: Int64
    let lineRange: UInt64
    /// The first operation that changes address and line at once.
    let firstSpecial: UInt8
    /// The number of operands of each standard operation, from operation 1 on.
    let operands: UnsafeRawBufferPointer

    private let sections: LineTable.Sections
    private let isLong: Bool
    /// The tables of folders and files.
    private let tables: ByteCursor

    /// Reads the next unit and moves `cursor` past it. Nil if it cannot be parsed.
    init?(_ cursor: inout ByteCursor, _ sections: LineTable.Sections) {
        self.sections = sections
        let length = UInt64(cursor.word())
        isLong = length == 0xffff_ffff
        var unit = cursor.slice(isLong ? cursor.long() : length)
        version = unit.half()
        guard !cursor.isBroken, (2...5).contains(version) else { return nil }
        // The size of an address, and of a segment.
        if version == 5, unit.half() != 8 { return nil }
        let headerLength = unit.number(size: isLong ? 8 : 4)
        var header = unit.slice(headerLength)
        program = unit.rest
        instructionLength = UInt64(header.byte())
        header.skip(version >= 4 ? 2 : 1)  // Operations in one instruction, and whether lines begin statements.
        lineBase = Int64(Int8(bitPattern: header.byte()))
        lineRange = UInt64(header.byte())
        firstSpecial = header.byte()
        operands = header.slice(UInt64(max(firstSpecial, 1) - 1)).bytes
        tables = header
        guard !unit.isBroken, !header.isBroken, lineRange > 0, firstSpecial > 0 else { return nil }
    }

    /// A line of a source file; nil if the unit has no such file, or if the compiler made it up.
    func place(_ line: Int, inFile index: UInt64) -> LineTable.Place? {
        guard let entry = version >= 5 ? describedFile(index) : plainFile(index), !entry.path.isEmpty else {
            return nil
        }
        let name = entry.path
        let last = name.lastIndex(of: Self.slash).map { $0 + 1 } ?? 0
        // "<compiler-generated>", and expansions of macros.
        let isMadeUp = last < name.count && [UInt8(ascii: "<"), UInt8(ascii: "@")].contains(name[last])
        if isMadeUp { return nil }
        let own = String(decoding: name[..<max(last - 1, 0)], as: UTF8.self)
        return LineTable.Place(
            file: String(decoding: name[last...], as: UTF8.self), line: line,
            folder: name.first == Self.slash ? own : joined(folder(entry.folder), own))
    }

    private static let slash = UInt8(ascii: "/")

    /// The path of a folder; those of a unit are relative to its first one.
    private func folder(_ index: UInt64) -> String? {
        guard let path = version >= 5 ? describedFolder(index) : plainFolder(index) else { return nil }
        let text = String(decoding: path, as: UTF8.self)
        if version < 5 || index == 0 || path.first == Self.slash { return text }
        return joined(folder(0), text)
    }

    private func joined(_ folder: String?, _ name: String) -> String? {
        folder.map { name.isEmpty ? $0 : "\($0)/\(name)" }
    }

    private typealias Entry = (path: UnsafeRawBufferPointer, folder: UInt64)

    /// Up to version 4: folders, which are numbered from 1, then files. The folder 0 is not in the table.
    private func plainFolder(_ index: UInt64) -> UnsafeRawBufferPointer? {
        var cursor = tables
        var place: UInt64 = 1
        while true {
            let name = cursor.text()
            guard !name.isEmpty else { return nil }
            if place == index { return name }
            place += 1
        }
    }

    /// Up to version 4: the files after the folders are numbered from 1.
    private func plainFile(_ index: UInt64) -> Entry? {
        var cursor = tables
        while !cursor.text().isEmpty {}
        var place: UInt64 = 1
        while true {
            let name = cursor.text()
            guard !name.isEmpty else { return nil }
            let folder = cursor.variable()
            if place == index { return (name, folder) }
            for _ in 0..<2 { _ = cursor.variable() }  // Its time and length.
            place += 1
        }
    }

    /// From version 5 on: tables that describe their own format, of folders and files. Both are numbered from 0.
    private func describedFile(_ index: UInt64) -> Entry? {
        var cursor = tables
        _ = entry(.max, &cursor)
        return entry(index, &cursor)
    }

    private func describedFolder(_ index: UInt64) -> UnsafeRawBufferPointer? {
        var cursor = tables
        return entry(index, &cursor)?.path
    }

    /// The entry at `index` of the table at `cursor`. If there is none, `cursor` moves past the table.
    private func entry(_ index: UInt64, _ cursor: inout ByteCursor) -> Entry? {
        let (path, inFolder): (UInt64, UInt64) = (1, 2)
        let formats = (0..<cursor.byte()).map { _ in (content: cursor.variable(), form: cursor.variable()) }
        let count = cursor.variable()
        var place: UInt64 = 0
        while place < count, !cursor.isBroken, !formats.isEmpty {
            var found: UnsafeRawBufferPointer?
            var folder: UInt64 = 0
            for (content, form) in formats {
                if content == inFolder, let number = number(form, &cursor) {
                    folder = number
                } else {
                    let text = value(form, &cursor)
                    if content == path { found = text }
                }
            }
            if place == index { return cursor.isBroken ? nil : found.map { ($0, folder) } }
            place += 1
        }
        return nil
    }

    /// Reads the number of a folder; nil, without reading, if it has another form.
    private func number(_ form: UInt64, _ cursor: inout ByteCursor) -> UInt64? {
        switch form {
        case 0x0b: UInt64(cursor.byte())
        case 0x05: UInt64(cursor.half())
        case 0x0f: cursor.variable()
        default: nil
        }
    }

    /// Reads a value; nil if it is not a text, or is outside the sections of the table.
    private func value(_ form: UInt64, _ cursor: inout ByteCursor) -> UnsafeRawBufferPointer? {
        switch form {
        case 0x08: return cursor.text()
        case 0x0e: return text(in: sections.strings, &cursor)
        case 0x1f: return text(in: sections.lineStrings, &cursor)
        case 0x0b: cursor.skip(1)
        case 0x05: cursor.skip(2)
        case 0x06: cursor.skip(4)
        case 0x07: cursor.skip(8)
        case 0x1e: cursor.skip(16)
        case 0x0f: _ = cursor.variable()
        case 0x09: cursor.skip(cursor.variable())
        default: cursor.skip(.max)
        }
        return nil
    }

    private func text(in section: UnsafeRawBufferPointer, _ cursor: inout ByteCursor) -> UnsafeRawBufferPointer? {
        guard let place = Int(exactly: cursor.number(size: isLong ? 8 : 4)) else { return nil }
        var text = ByteCursor(section, at: place)
        return text.text()
    }
}
