/// The symbols and lines of a module: of its ELF file, or of its loaded Mach-O image, which has no lines.
final class SymbolFile {
    let symbols: SymbolTable
    /// Keeps the bytes in memory.
    private let file: MappedFile?
    private let lines: LineTable?
    private let names: NameIndex?
    private let entries: DebugEntries?

    /// Nil if the file cannot be read, is not the one that was loaded, or has no symbols.
    ///
    /// An image is read where it is loaded: the libraries of Apple's systems have no files. It must stay loaded as long as this
    /// object lives. Apple's loader does not unload images with classes.
    convenience init?(_ module: LoadedModule) {
        if let image = module.machImage {
            guard let symbols = SymbolTable(image) else { return nil }
            self.init(symbols)
            return
        }
        guard let file = MappedFile(path: module.path), Self.isLoaded(file, as: module) else { return nil }
        self.init(file.bytes, of: file)
    }

    /// Without lines.
    private init(_ symbols: SymbolTable) {
        self.symbols = symbols
        (file, lines, names, entries) = (nil, nil, nil, nil)
    }

    /// Nil if the bytes are not a file with symbols. They must stay as long as this object lives.
    init?(_ bytes: UnsafeRawBufferPointer, of file: MappedFile? = nil) {
        if let image = MachImage(file: bytes) {
            guard let symbols = SymbolTable(image) else { return nil }
            self.symbols = symbols
            self.file = file
            (lines, names, entries) = (nil, nil, nil)
            return
        }
        guard let elf = ElfFile(bytes), let symbols = SymbolTable(elf) else { return nil }
        self.file = file
        self.symbols = symbols
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        let strings = elf.section(named: ".debug_str")?.bytes ?? none
        lines = elf.section(named: ".debug_line").map {
            let lineStrings = elf.section(named: ".debug_line_str")?.bytes ?? none
            return LineTable(LineTable.Sections(lines: $0.bytes, lineStrings: lineStrings, strings: strings))
        }
        names = elf.section(named: ".debug_names").map { NameIndex(names: $0.bytes, strings: strings) }
        if let information = elf.section(named: ".debug_info"), let list = elf.section(named: ".debug_abbrev") {
            entries = DebugEntries(information: information.bytes, abbreviations: list.bytes)
        } else {
            entries = nil
        }
    }

    /// The position of a symbol's code in the source.
    ///
    /// Code that the compiler makes around a closure has no line of its own, so the closure is looked up by name. Its declaration
    /// comes first, then the line of its first instruction. An autoclosure has neither: it gets the line of the function that
    /// contains it.
    func place(of symbol: SymbolTable.Symbol) -> LineTable.Place? {
        guard let lines else { return nil }
        let name = symbol.text, inner = MangledName.source(of: name)
        if let place = declaration(of: inner) { return place }
        for candidate in inner == name ? [symbol] : [symbols.symbol(named: inner), symbol] {
            guard let candidate else { continue }
            let (end, overflow) = candidate.address.addingReportingOverflow(candidate.size)
            guard !overflow, end > candidate.address else { continue }
            if let place = lines.place(in: candidate.address..<end) { return place }
        }
        return MangledName.isImplicitClosure(inner) ? placeOfFunction(around: inner) : nil
    }

    /// The line of the function or closure that contains the argument for which the compiler made a closure.
    private func placeOfFunction(around name: String) -> LineTable.Place? {
        // Its name begins with the name of what contains it. Each lookup is by a hash.
        for length in stride(from: name.utf8.count - 3, to: 4, by: -1) {
            if let place = declaration(of: String(name.prefix(length))) { return place }
        }
        return nil
    }

    /// Whether the file has debug information.
    var hasLines: Bool { lines != nil }

    /// Does now what the first lookups would do.
    func prepare() {
        symbols.prepare()
        lines?.prepare()
        names?.prepare()
    }

    /// The line of the instruction at `address`, in code of the function `symbol`.
    ///
    /// If code of another file was inlined there, it is the line at which the function begins.
    func place(of address: UInt64, in symbol: SymbolTable.Symbol) -> LineTable.Place? {
        let start = place(of: symbol)
        guard address >= symbol.address, let place = lines?.lastPlace(in: symbol.address...address),
            start.map(place.isInFile) ?? true
        else { return start }
        return place
    }

    private func declaration(of name: String) -> LineTable.Place? {
        guard let lines, let names, let entries else { return nil }
        for entry in names.entries(named: name) {
            guard let declaration = entries.declaration(entry),
                let place = lines.place(
                    declaration.line, inFile: declaration.file, ofUnitAt: declaration.lineTable)
            else { continue }
            return place
        }
        return nil
    }

    /// Whether the file is the one that was loaded.
    ///
    /// It may have been replaced since. Its first bytes identify its build, and must be the same.
    private static func isLoaded(_ file: MappedFile, as module: LoadedModule) -> Bool {
        let length = min(module.fileHeader.count, file.bytes.count, 4096)
        guard length >= 64, let memory = UnsafeRawPointer(bitPattern: module.fileHeader.lowerBound) else {
            return false
        }
        return UnsafeRawBufferPointer(start: memory, count: length).elementsEqual(file.bytes[..<length])
    }
}
