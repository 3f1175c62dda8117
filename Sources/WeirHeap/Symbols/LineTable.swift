import CWeir

/// The line of source of each instruction: the section `.debug_line`.
///
/// Source: 'DWARF Debugging Information Format', versions 2 to 5, chapter 6.2. A unit of the table is a program for a small
/// machine. Running all units of a large table takes seconds. A search for the bytes that set an address finds the one unit to
/// run.
struct LineTable {
    /// A line of the source, from 1.
    struct Place: Equatable {
        /// The file's name without its folder.
        var file: String
        var line: Int
    }

    /// The sections that the table needs; those for strings may be empty.
    struct Sections {
        var lines: UnsafeRawBufferPointer
        var lineStrings = UnsafeRawBufferPointer(start: nil, count: 0)
        var strings = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    private static let attempts = 8

    private let sections: Sections

    init(_ sections: Sections) { self.sections = sections }

    /// The first line of a source file for an instruction in `addresses`.
    func place(in addresses: Range<UInt64>) -> Place? {
        var limit = addresses.lowerBound
        for _ in 0..<Self.attempts {
            guard let unit = unit(atOrBefore: limit) else { return nil }
            switch LineProgram.place(of: addresses, in: unit.header) {
            case .found(let place): return place
            case .without: return nil
            case .elsewhere: limit = unit.address - 1
            }
        }
        return nil
    }

    /// The name of a file, by its number in the unit at this offset.
    func fileName(_ file: UInt64, inUnitAt offset: UInt64) -> String? {
        guard let place = Int(exactly: offset) else { return nil }
        var cursor = ByteCursor(sections.lines, at: place)
        return LineTableHeader(&cursor, sections)?.fileName(file)
    }

    /// The unit that sets the greatest address above 0 and up to `limit`.
    private func unit(atOrBefore limit: UInt64) -> (address: UInt64, header: LineTableHeader)? {
        var best: (address: UInt64, header: LineTableHeader)?
        // An extended operation of nine bytes: set the address.
        let pattern: [UInt8] = [0, 9, 2]
        var cursor = ByteCursor(sections.lines)
        while !cursor.isAtEnd {
            guard let header = LineTableHeader(&cursor, sections), let start = header.program.baseAddress else {
                continue
            }
            let bytes = header.program
            var offset = 0
            while let match = weir_find(start + offset, bytes.count - offset, pattern, pattern.count) {
                let place = match - start
                offset = place + 1
                guard bytes.count - place >= 11 else { break }
                let address = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place + 3, as: UInt64.self))
                if address <= limit, address > best?.address ?? 0 { best = (address, header) }
            }
        }
        return best
    }
}
