import CWeir

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The symbols of a program file or of a loaded image, by their addresses.
///
/// Names stay where they are. Closures and private globals are local symbols, which only a full table has. A stripped file has at
/// most its exported symbols. After some lookups of addresses the symbols are sorted, in 16 bytes of memory for each.
///
/// The two formats, ELF and Mach-O, differ only in how `weir_symbol_read` reads an entry. The names are those of the source in
/// both: the underscore that begins a name of Mach-O is left out.
final class SymbolTable {
    /// The name of a piece of the file's memory.
    struct Symbol {
        /// The first address, in the file's numbering.
        var address: UInt64
        /// The number of bytes; 0 if it is unknown. With Mach-O, which stores none, up to the end of the section.
        var size: UInt64
        /// The linker's name.
        var name: UnsafeRawBufferPointer

        var text: String { String(decoding: name, as: UTF8.self) }
    }

    private struct Entry {
        var address: UInt64
        var index: Int
    }

    private static let full: UInt32 = 2, exported: UInt32 = 11
    private static let elfSize = 24, machSize = 16

    /// Sorting takes as long as this many lookups in all symbols, or longer.
    private static let fewLookups = 16

    private var table: weir_symbol_table
    private var lookups = 0
    /// The symbols with an address in this file, by that; nil until it pays.
    private var sorted: UnsafeMutableBufferPointer<Entry>?
    /// What `table` points to, if this object made it.
    private var own: [UnsafeMutableRawBufferPointer] = []

    /// The table of a file; nil if it has no symbols.
    convenience init?(_ file: ElfFile) {
        guard let table = file.section(kind: Self.full) ?? file.section(kind: Self.exported),
            let names = file.section(UInt64(table.link))
        else { return nil }
        self.init(weir_elf_symbols, table.bytes, Self.elfSize, names: names.bytes)
    }

    /// The table of an image, or that of its exported symbols if it has no other one; nil if it has neither.
    convenience init?(_ image: MachImage) {
        self.init(
            weir_mach_symbols, image.symbols, Self.machSize, names: image.names, sectionEnds: image.sectionEnds)
        guard !hasSymbols else { return }
        guard !image.exports.isEmpty, let headerAddress = image.headerAddress else { return nil }
        let exports = ExportTree.table(
            image.exports, headerAddress: headerAddress, sectionEnds: image.sectionEnds)
        use(copy(exports.symbols), Self.machSize, names: copy(exports.names))
        if !hasSymbols { return nil }
    }

    private init(
        _ format: weir_symbol_format, _ symbols: UnsafeRawBufferPointer, _ size: Int, names: UnsafeRawBufferPointer,
        sectionEnds: [UInt64] = []
    ) {
        table = weir_symbol_table()
        table.format = format
        table.section_count = sectionEnds.count
        table.section_ends = copy(sectionEnds).bindMemory(to: UInt64.self).baseAddress
        use(symbols, size, names: names)
    }

    deinit {
        sorted?.deallocate()
        for memory in own { memory.deallocate() }
    }

    private func use(_ symbols: UnsafeRawBufferPointer, _ size: Int, names: UnsafeRawBufferPointer) {
        // Every name that begins before the last zero byte ends.
        var length = names.count
        while length > 0, names[length - 1] != 0 { length -= 1 }
        guard let first = symbols.baseAddress, let text = names.baseAddress, length > 0 else { return }
        table.symbols = first
        table.count = symbols.count / size
        table.names = text.assumingMemoryBound(to: CChar.self)
        table.name_bytes = length
    }

    private func copy<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafeRawBufferPointer {
        elements.withUnsafeBytes { bytes in
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 8)
            memory.copyMemory(from: bytes)
            own.append(memory)
            return UnsafeRawBufferPointer(rebasing: memory[..<bytes.count])
        }
    }

    /// Whether there is any symbol of this file.
    private var hasSymbols: Bool {
        var symbol = weir_symbol(), index = 0
        while index < table.count {
            if weir_symbol_read(&table, index, &symbol), symbol.name != nil { return true }
            index += 1
        }
        return false
    }

    private func sort() -> UnsafeMutableBufferPointer<Entry> {
        let entries = UnsafeMutablePointer<Entry>.allocate(capacity: max(table.count, 1))
        var used = 0, index = 0
        // No iterator here, and a C function below: without optimization, Swift's own cost a hundred times as much.
        var address: UInt64 = 0
        while index < table.count {
            if weir_symbol_address(&table, index, &address) {
                entries[used] = Entry(address: address, index: index)
                used += 1
            }
            index += 1
        }
        qsort(entries, used, MemoryLayout<Entry>.stride) { left, right in
            guard let left, let right else { return 0 }
            let first = left.loadUnaligned(as: UInt64.self), second = right.loadUnaligned(as: UInt64.self)
            return first < second ? -1 : first == second ? 0 : 1
        }
        return UnsafeMutableBufferPointer(start: entries, count: used)
    }

    /// Sorts the symbols now.
    func prepare() { if sorted == nil { sorted = sort() } }

    /// The symbol whose piece of memory contains the address; the first one in the file if there are several.
    func symbol(at address: UInt64) -> Symbol? {
        lookups += 1
        if sorted == nil, lookups <= Self.fewLookups {
            let found = weir_symbol_at(&table, address)
            return found < 0 ? nil : symbol(found)
        }
        let entries = sorted ?? sort()
        sorted = entries
        var low = 0, high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].address <= address { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let start = entries[low - 1].address
        var found: Symbol?, place = low - 1
        var foundIndex = Int.max
        while place >= 0, entries[place].address == start {
            if let symbol = symbol(entries[place].index), address - start < max(symbol.size, 1),
                entries[place].index < foundIndex
            {
                found = symbol
                foundIndex = entries[place].index
            }
            place -= 1
        }
        return found
    }

    /// The symbol with this name. Compares one after the other.
    func symbol(named name: String) -> Symbol? {
        let found = weir_symbol_named(&table, name)
        return found < 0 ? nil : symbol(found)
    }

    /// The symbols whose names begin and end so, at most `most`.
    func symbols(from prefix: String, to suffix: String, atMost most: Int) -> [Symbol] {
        let found = [UInt32](unsafeUninitializedCapacity: most) { found, used in
            guard let first = found.baseAddress else { return }
            used = weir_find_symbols(&table, prefix, suffix, first, most)
        }
        return found.compactMap { symbol(Int($0)) }
    }

    /// The symbol at this index; nil if it is not of this file or has no name.
    private func symbol(_ index: Int) -> Symbol? {
        var symbol = weir_symbol()
        guard weir_symbol_read(&table, index, &symbol), let name = symbol.name else { return nil }
        return Symbol(
            address: symbol.address, size: symbol.size,
            name: UnsafeRawBufferPointer(start: name, count: symbol.name_length))
    }
}
