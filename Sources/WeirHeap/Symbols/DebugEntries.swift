/// The declarations of functions: the sections `.debug_info` and `.debug_abbrev`.
///
/// Source: 'DWARF Debugging Information Format', versions 2 to 5, chapter 7.5. This finds the line of a closure even if
/// optimization left none of its instructions a line, unless the closure was merged with another one.
struct DebugEntries {
    /// A position in the source. `file` is the file's number in a unit of the line table.
    struct Declaration: Equatable {
        var file: UInt64
        var line: Int
        /// The offset of the unit in `.debug_line`.
        var lineTable: UInt64
    }

    private let information: UnsafeRawBufferPointer, abbreviations: UnsafeRawBufferPointer
    private static let lineTable: UInt64 = 0x10, origin: UInt64 = 0x31, file: UInt64 = 0x3a, line: UInt64 = 0x3b
    private static let specification: UInt64 = 0x47
    /// A reference from the start of the whole section, not of a unit.
    private static let farReference: UInt64 = 0x10
    /// The maximum number of times that an entry is followed to another one with more detail.
    private static let steps = 4

    init(information: UnsafeRawBufferPointer, abbreviations: UnsafeRawBufferPointer) {
        self.information = information
        self.abbreviations = abbreviations
    }

    /// The declaration of the function that the entry describes; nil if it is not in the source.
    func declaration(_ entry: NameIndex.Entry) -> Declaration? {
        guard let unit = Unit(information, at: entry.unit) else { return nil }
        guard let table = attributes(at: unit.firstEntry, in: unit)?[Self.lineTable] else { return nil }
        var place = unit.start &+ entry.offset
        for _ in 0..<Self.steps {
            guard let found = attributes(at: place, in: unit) else { return nil }
            if let file = found[Self.file], let line = found[Self.line], line > 0, let number = Int32(exactly: line) {
                return Declaration(file: file, line: Int(number), lineTable: table)
            }
            guard let next = found[Self.origin] ?? found[Self.specification] else { return nil }
            place = next
        }
        return nil
    }

    /// The attributes of an entry by their meaning; references are offsets in the section.
    private func attributes(at place: UInt64, in unit: Unit) -> [UInt64: UInt64]? {
        guard let start = Int(exactly: place), place < unit.end else { return nil }
        var cursor = ByteCursor(information, at: start)
        let code = cursor.variable()
        guard code != 0, let list = Int(exactly: unit.abbreviations) else { return nil }
        var abbreviation = ByteCursor(abbreviations, at: list)
        guard Self.find(code, &abbreviation) else { return nil }
        var found: [UInt64: UInt64] = [:]
        while !abbreviation.isBroken {
            let meaning = abbreviation.variable()
            var form = abbreviation.variable()
            if meaning == 0, form == 0 { return cursor.isBroken ? nil : found }
            let implicit = form == 0x21 ? UInt64(bitPattern: abbreviation.signedVariable()) : 1
            if form == 0x16 { form = cursor.variable() }
            guard
                let value = DebugForm.value(
                    form, &cursor, isLong: unit.isLong, addressSize: unit.addressSize, implicit: implicit)
            else { return nil }
            let isReference = meaning == Self.origin || meaning == Self.specification
            found[meaning] = isReference && form != Self.farReference ? unit.start &+ value : value
        }
        return nil
    }

    /// Moves past the header of the abbreviation with this code; false if there is none.
    private static func find(_ code: UInt64, _ cursor: inout ByteCursor) -> Bool {
        while !cursor.isBroken {
            let here = cursor.variable()
            guard here != 0 else { return false }
            _ = cursor.variable()
            _ = cursor.byte()
            if here == code { return !cursor.isBroken }
            while !cursor.isBroken {
                let meaning = cursor.variable(), form = cursor.variable()
                if form == 0x21 { _ = cursor.signedVariable() }
                if meaning == 0, form == 0 { break }
            }
        }
        return false
    }
}

/// The header of a unit of debug information.
private struct Unit {
    let start: UInt64, end: UInt64, firstEntry: UInt64, abbreviations: UInt64
    let isLong: Bool
    let addressSize: UInt8

    init?(_ information: UnsafeRawBufferPointer, at offset: UInt64) {
        guard let place = Int(exactly: offset) else { return nil }
        var cursor = ByteCursor(information, at: place)
        let length = UInt64(cursor.word())
        isLong = length == 0xffff_ffff
        let size = isLong ? cursor.long() : length
        let rest = UInt64(information.count - cursor.position)
        let begin = UInt64(cursor.position)
        let version = cursor.half()
        guard (2...5).contains(version), size <= rest else { return nil }
        if version == 5 {
            guard cursor.byte() == 1 else { return nil }  // A whole unit, neither a type nor a part.
            addressSize = cursor.byte()
            abbreviations = cursor.number(size: isLong ? 8 : 4)
        } else {
            abbreviations = cursor.number(size: isLong ? 8 : 4)
            addressSize = cursor.byte()
        }
        guard !cursor.isBroken else { return nil }
        start = offset
        end = begin + size
        firstEntry = UInt64(cursor.position)
    }
}

/// How values are written in debug information. Source: 'DWARF Debugging Information Format', version 5, chapter 7.5.6.
enum DebugForm {
    /// Reads a value of this form; for a text or block, only its offset or length. Nil if the form is unknown.
    ///
    /// `implicit` is the value of a form that stores none.
    static func value(
        _ form: UInt64, _ cursor: inout ByteCursor, isLong: Bool, addressSize: UInt8 = 8, implicit: UInt64 = 1
    ) -> UInt64? {
        switch form {
        case 0x01: return cursor.number(size: addressSize)
        case 0x0b, 0x0c, 0x11, 0x25, 0x29: return UInt64(cursor.byte())
        case 0x05, 0x12, 0x26, 0x2a: return UInt64(cursor.half())
        case 0x06, 0x13, 0x1c, 0x28, 0x2c: return UInt64(cursor.word())
        case 0x07, 0x14, 0x20, 0x24: return cursor.long()
        case 0x0f, 0x15, 0x1a, 0x1b, 0x22, 0x23: return cursor.variable()
        case 0x0d: return UInt64(bitPattern: cursor.signedVariable())
        case 0x0e, 0x10, 0x17, 0x1d, 0x1f: return cursor.number(size: isLong ? 8 : 4)
        case 0x19, 0x21: return implicit
        case 0x08: return UInt64(cursor.text().count)
        case 0x0a: return skipped(UInt64(cursor.byte()), &cursor)
        case 0x03: return skipped(UInt64(cursor.half()), &cursor)
        case 0x04: return skipped(UInt64(cursor.word()), &cursor)
        case 0x09, 0x18: return skipped(cursor.variable(), &cursor)
        case 0x1e: return skipped(16, &cursor)
        case 0x27, 0x2b: return skipped(3, &cursor)
        default: return nil
        }
    }

    private static func skipped(_ count: UInt64, _ cursor: inout ByteCursor) -> UInt64 {
        cursor.skip(count)
        return count
    }
}
