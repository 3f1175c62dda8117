import CWeir

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The symbols of a program file, by their addresses.
///
/// Names stay in the file. Closures and private globals are local symbols, which only the full table (`.symtab`) has. A stripped
/// file has at most its exported symbols. After some lookups of addresses the symbols are sorted, in 16 bytes of memory for each.
final class SymbolTable {
    /// The name of a piece of the file's memory.
    struct Symbol {
        /// The first address, in the file's numbering.
        var address: UInt64
        /// The number of bytes; 0 if it is unknown.
        var size: UInt64
        /// The linker's name.
        var name: UnsafeRawBufferPointer

        var text: String { String(decoding: name, as: UTF8.self) }
    }

    private struct Entry {
        var address: UInt64
        var index: Int
    }

    private static let entrySize = 24
    private static let full: UInt32 = 2, exported: UInt32 = 11
    private static let data: UInt8 = 1, function: UInt8 = 2

    /// Sorting takes as long as this many lookups in all symbols, or longer.
    private static let fewLookups = 16

    private let symbols: UnsafeRawBufferPointer, names: UnsafeRawBufferPointer
    private let count: Int
    private var lookups = 0
    /// The symbols with an address in this file, by that; nil until it pays.
    private var sorted: UnsafeMutableBufferPointer<Entry>?

    /// Nil if the file has no symbols.
    init?(_ file: ElfFile) {
        guard let table = file.section(kind: Self.full) ?? file.section(kind: Self.exported),
            let names = file.section(UInt64(table.link))
        else { return nil }
        symbols = table.bytes
        self.names = names.bytes
        count = table.bytes.count / Self.entrySize
    }

    deinit { sorted?.deallocate() }

    private func sort() -> UnsafeMutableBufferPointer<Entry> {
        let entries = UnsafeMutablePointer<Entry>.allocate(capacity: max(count, 1))
        var used = 0, index = 0
        // No iterator here, and a C function below: without optimization, Swift's own cost a hundred times as much.
        while index < count {
            let offset = index * Self.entrySize
            let kind = symbols[offset + 4] & 0xf
            let address = symbols.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
            if address != 0, kind == Self.data || kind == Self.function {
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
            guard let start = symbols.baseAddress else { return nil }
            let found = weir_symbol_at(start, count, address)
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
            let symbol = symbol(entries[place].index)
            if address - start < max(symbol.size, 1), entries[place].index < foundIndex {
                found = symbol
                foundIndex = entries[place].index
            }
            place -= 1
        }
        return found
    }

    /// The symbol with this name. Compares one after the other.
    func symbol(named name: String) -> Symbol? {
        guard let start = symbols.baseAddress, let text = names.baseAddress else { return nil }
        let found = weir_symbol_named(start, count, text.assumingMemoryBound(to: CChar.self), names.count, name)
        return found < 0 ? nil : symbol(found)
    }

    /// The symbols whose names begin and end so, at most `most`.
    func symbols(from prefix: String, to suffix: String, atMost most: Int) -> [Symbol] {
        guard let start = symbols.baseAddress, let text = names.baseAddress else { return [] }
        let found = [UInt32](unsafeUninitializedCapacity: most) { found, used in
            guard let first = found.baseAddress else { return }
            used = weir_find_symbols(
                start, count, text.assumingMemoryBound(to: CChar.self), names.count, prefix, suffix, first, most)
        }
        return found.map { symbol(Int($0)) }.filter { $0.address != 0 }
    }

    private func nameOffset(_ index: Int) -> Int {
        Int(symbols.loadUnaligned(fromByteOffset: index * Self.entrySize, as: UInt32.self))
    }

    private func symbol(_ index: Int) -> Symbol {
        var cursor = ByteCursor(names, at: nameOffset(index))
        let offset = index * Self.entrySize
        return Symbol(
            address: symbols.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self),
            size: symbols.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self), name: cursor.text())
    }
}
