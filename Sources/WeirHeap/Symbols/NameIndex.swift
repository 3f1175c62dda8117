/// Finds the entries of the debug information that describe a function, by its name: the section `.debug_names`.
///
/// Source: 'DWARF Debugging Information Format', version 5, chapter 6.1.1. The compiler writes this section even if the others
/// have an older version.
final class NameIndex {
    /// An entry of the debug information.
    struct Entry: Equatable {
        /// The offset of its unit in `.debug_info`.
        var unit: UInt64
        /// Its offset in the unit.
        var offset: UInt64
    }

    private let names: UnsafeRawBufferPointer, strings: UnsafeRawBufferPointer
    /// Read once: a program has one for each of its source files.
    private lazy var tables = readTables()

    /// An index in the bytes of `.debug_names`, with those of `.debug_str`.
    init(names: UnsafeRawBufferPointer, strings: UnsafeRawBufferPointer) {
        self.names = names
        self.strings = strings
    }

    /// The entries for a name, in the order of the file.
    func entries(named name: String) -> [Entry] {
        var found: [Entry] = []
        let hash = Self.hash(name)
        for table in tables { table.find(name, hash, strings, &found) }
        return found
    }

    /// Does now what the first lookup would do.
    func prepare() { _ = tables }

    private func readTables() -> [Table] {
        var cursor = ByteCursor(names), tables: [Table] = []
        while !cursor.isAtEnd {
            let length = UInt64(cursor.word())
            let isLong = length == 0xffff_ffff
            let unit = cursor.slice(isLong ? cursor.long() : length)
            if !cursor.isBroken, let table = Table(unit, isLong: isLong) { tables.append(table) }
        }
        return tables
    }

    /// The hash function of the format, which ignores case.
    private static func hash(_ name: String) -> UInt32 {
        name.utf8.reduce(5381) { hash, byte in
            let isCapital = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
            return hash &* 33 &+ UInt32(isCapital ? byte + 32 : byte)
        }
    }
}

/// One table of the index; a program has one per object file.
private struct Table {
    private let cursor: ByteCursor
    private let isLong: Bool
    private let unitCount: UInt64, bucketCount: UInt64, nameCount: UInt64
    private let units: UInt64, buckets: UInt64, hashes: UInt64, strings: UInt64, entries: UInt64
    private let abbreviations: UInt64, pool: UInt64

    init?(_ unit: ByteCursor, isLong: Bool) {
        var cursor = unit
        self.isLong = isLong
        guard cursor.half() == 5 else { return nil }
        cursor.skip(2)
        unitCount = UInt64(cursor.word())
        let localTypes = UInt64(cursor.word()), foreignTypes = UInt64(cursor.word())
        bucketCount = UInt64(cursor.word())
        nameCount = UInt64(cursor.word())
        let abbreviationSize = UInt64(cursor.word()), augmentationSize = UInt64(cursor.word())
        cursor.skip((augmentationSize + 3) & ~3)
        guard !cursor.isBroken, bucketCount > 0 else { return nil }
        let size: UInt64 = isLong ? 8 : 4
        // All counts have 32 bits, so none of these sums is too large.
        units = UInt64(cursor.position)
        buckets = units + (unitCount + localTypes) * size + foreignTypes * 8
        hashes = buckets + bucketCount * 4
        strings = hashes + nameCount * 4
        entries = strings + nameCount * size
        abbreviations = entries + nameCount * size
        pool = abbreviations + abbreviationSize
        guard pool <= UInt64(unit.bytes.count) else { return nil }
        self.cursor = unit
    }

    func find(_ name: String, _ hash: UInt32, _ texts: UnsafeRawBufferPointer, _ found: inout [NameIndex.Entry]) {
        let bucket = UInt64(hash) % bucketCount
        var place = UInt64(word(buckets + bucket * 4))
        while place >= 1, place <= nameCount {
            let here = word(hashes + (place - 1) * 4)
            guard UInt64(here) % bucketCount == bucket else { return }
            if here == hash, let offset = Int(exactly: offset(strings, place - 1)) {
                var text = ByteCursor(texts, at: offset)
                if text.text().elementsEqual(name.utf8) { addEntries(offset: self.offset(entries, place - 1), &found) }
            }
            place += 1
        }
    }

    private func addEntries(offset: UInt64, _ found: inout [NameIndex.Entry]) {
        guard let start = Int(exactly: pool &+ offset) else { return }
        var entry = cursor
        entry.move(to: start)
        while !entry.isBroken {
            let code = entry.variable()
            guard code != 0, let attributes = attributes(code) else { return }
            var unit: UInt64 = 0, place: UInt64?
            for (meaning, form) in attributes {
                guard let value = DebugForm.value(form, &entry, isLong: isLong) else { return }
                if meaning == 1 { unit = value }
                if meaning == 3 { place = value }
            }
            guard !entry.isBroken, let place, unit < unitCount else { return }
            found.append(NameIndex.Entry(unit: self.offset(units, unit), offset: place))
        }
    }

    /// The attributes of the entries with this code.
    private func attributes(_ wanted: UInt64) -> [(meaning: UInt64, form: UInt64)]? {
        var list = cursor
        list.move(to: Int(abbreviations))
        while !list.isBroken, list.position < Int(pool) {
            let code = list.variable()
            guard code != 0 else { return nil }
            _ = list.variable()
            var attributes: [(meaning: UInt64, form: UInt64)] = []
            while !list.isBroken {
                let meaning = list.variable(), form = list.variable()
                if meaning == 0, form == 0 { break }
                attributes.append((meaning, form))
            }
            if code == wanted { return attributes }
        }
        return nil
    }

    /// Not generic: without optimization, each lookup in hundreds of tables would ask the runtime for types.
    private func word(_ place: UInt64) -> UInt32 {
        let bytes = cursor.bytes
        guard place < UInt64(bytes.count), bytes.count - Int(place) >= 4 else { return 0 }
        return UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: Int(place), as: UInt32.self))
    }

    private func offset(_ list: UInt64, _ index: UInt64) -> UInt64 {
        var cursor = cursor
        cursor.move(to: Int(list + index * (isLong ? 8 : 4)))
        return cursor.number(size: isLong ? 8 : 4)
    }
}
