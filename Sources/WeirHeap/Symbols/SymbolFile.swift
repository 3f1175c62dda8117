/// What the file of a module tells of its symbols and lines.
final class SymbolFile {
    let symbols: SymbolTable
    private let file: MappedFile
    private let lines: LineTable?

    /// Nil: the file cannot be read, is another one than was loaded, or has no symbols.
    init?(_ module: LoadedModule) {
        guard let file = MappedFile(path: module.path), Self.isLoaded(file, as: module), let elf = ElfFile(file.bytes),
            let symbols = SymbolTable(elf)
        else { return nil }
        self.file = file
        self.symbols = symbols
        lines = elf.section(named: ".debug_line").map { lines in
            var sections = LineTable.Sections(lines: lines.bytes)
            if let strings = elf.section(named: ".debug_line_str") { sections.lineStrings = strings.bytes }
            if let strings = elf.section(named: ".debug_str") { sections.strings = strings.bytes }
            return LineTable(sections)
        }
    }

    /// Where the code of a symbol stands in the source.
    ///
    /// What the compiler made around a closure has no line of its own, so the closure is looked for by name.
    func place(of symbol: SymbolTable.Symbol) -> LineTable.Place? {
        guard let lines else { return nil }
        let name = symbol.text
        let inner = MangledName.source(of: name)
        for candidate in inner == name ? [symbol] : [symbols.symbol(named: inner), symbol] {
            guard let candidate else { continue }
            let (end, overflow) = candidate.address.addingReportingOverflow(candidate.size)
            guard !overflow, end > candidate.address else { continue }
            if let place = lines.place(in: candidate.address..<end) { return place }
        }
        return nil
    }

    /// The file may have been replaced since it was loaded: its first bytes name its build, and must be the same.
    private static func isLoaded(_ file: MappedFile, as module: LoadedModule) -> Bool {
        let length = min(module.fileHeader.count, file.bytes.count, 4096)
        guard length >= 64, let memory = UnsafeRawPointer(bitPattern: module.fileHeader.lowerBound) else {
            return false
        }
        return UnsafeRawBufferPointer(start: memory, count: length).elementsEqual(file.bytes[..<length])
    }
}
