import CWeir

/// The line of source of each instruction: the section `.debug_line`.
///
/// Source: 'DWARF Debugging Information Format', versions 2 to 5, chapter 6.2. A unit of the table is a program for a small
/// machine. Running all units of a large table takes seconds. So the first lookup searches for the bytes that set an address, and
/// each lookup runs the one unit that sets the next lower one. Use it from one thread at a time.
final class LineTable {
    /// A line of the source, from 1.
    struct Place: Equatable {
        /// The file's name without its folder.
        var file: String
        var line: Int
        /// The path of the folder; nil: unknown.
        var folder: String?

        /// Whether both are in one file. Two modules may each have a file of a name.
        func isInFile(of other: Place) -> Bool {
            file == other.file && (folder == nil || other.folder == nil || folder == other.folder)
        }
    }

    /// The sections that the table needs; those for strings may be empty.
    struct Sections {
        var lines: UnsafeRawBufferPointer
        var lineStrings = UnsafeRawBufferPointer(start: nil, count: 0)
        var strings = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    private static let attempts = 8

    private let sections: Sections
    /// The addresses that units set, ascending, each with the offset of its unit.
    private var starts: [(address: UInt64, unit: Int)] = []
    private var isPrepared = false

    init(_ sections: Sections) { self.sections = sections }

    /// The first line of a source file for an instruction in `addresses`.
    func place(in addresses: Range<UInt64>) -> Place? {
        firstPlace(from: addresses.lowerBound) { LineProgram.place(of: addresses, in: $0) }
    }

    /// The line of the last instruction in `addresses`, the beginning of a function, that comes from a line of source.
    func lastPlace(in addresses: ClosedRange<UInt64>) -> Place? {
        firstPlace(from: addresses.lowerBound) { LineProgram.lastPlace(in: addresses, in: $0) }
    }

    private func firstPlace(from address: UInt64, _ place: (LineTableHeader) -> LineProgram.Result) -> Place? {
        var limit = address
        for _ in 0..<Self.attempts {
            guard let unit = unit(atOrBefore: limit) else { return nil }
            switch place(unit.header) {
            case .found(let place): return place
            case .without: return nil
            case .elsewhere: limit = unit.address - 1
            }
        }
        return nil
    }

    /// A line of a file, by the file's number in the unit at this offset.
    func place(_ line: Int, inFile file: UInt64, ofUnitAt offset: UInt64) -> Place? {
        guard let place = Int(exactly: offset) else { return nil }
        var cursor = ByteCursor(sections.lines, at: place)
        return LineTableHeader(&cursor, sections)?.place(line, inFile: file)
    }

    /// The unit that sets the greatest address above 0 and up to `limit`.
    private func unit(atOrBefore limit: UInt64) -> (address: UInt64, header: LineTableHeader)? {
        prepare()
        var low = 0, high = starts.count
        while low < high {
            let middle = (low + high) / 2
            if starts[middle].address <= limit { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let start = starts[low - 1]
        var cursor = ByteCursor(sections.lines, at: start.unit)
        return LineTableHeader(&cursor, sections).map { (start.address, $0) }
    }

    /// Finds the addresses that units set, unless it has done so.
    func prepare() {
        guard !isPrepared else { return }
        isPrepared = true
        // An extended operation of nine bytes: set the address.
        let pattern: [UInt8] = [0, 9, 2]
        var cursor = ByteCursor(sections.lines)
        while !cursor.isAtEnd {
            let unit = cursor.position
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
                if address > 0 { starts.append((address, unit)) }
            }
        }
        starts.sort { $0.address < $1.address }
    }
}
