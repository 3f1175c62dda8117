/// Writes numbers and texts in the encoding of program files.
struct ByteList: ExpressibleByArrayLiteral {
    var bytes: [UInt8] = []

    init() {}
    init(arrayLiteral elements: UInt8...) { bytes = elements }
    init(_ text: String) { bytes = Array(text.utf8) + [0] }

    static func + (left: ByteList, right: ByteList) -> ByteList {
        var sum = left
        sum.bytes += right.bytes
        return sum
    }

    static func += (left: inout ByteList, right: ByteList) { left.bytes += right.bytes }

    static func half(_ number: Int) -> ByteList { fixed(UInt16(number)) }
    static func word(_ number: Int) -> ByteList { fixed(UInt32(number)) }
    static func long(_ number: Int) -> ByteList { fixed(UInt64(number)) }

    /// The bytes, after their count.
    static func counted(_ list: ByteList) -> ByteList { word(list.bytes.count) + list }

    private static func fixed<Number: FixedWidthInteger>(_ number: Number) -> ByteList {
        var list = ByteList()
        withUnsafeBytes(of: number.littleEndian) { list.bytes += $0 }
        return list
    }
}

/// Builds a small program file from its sections.
struct ElfBuilder {
    private var sections: [(name: String, kind: Int, link: Int, flags: Int, content: ByteList)] = [("", 0, 0, 0, [])]

    /// Adds a section, and returns its index in the table.
    @discardableResult
    mutating func add(_ name: String, kind: Int = 1, link: Int = 0, flags: Int = 0, _ content: ByteList) -> Int {
        sections.append((name, kind, link, flags, content))
        return sections.count - 1
    }

    /// The file.
    func build() -> [UInt8] {
        var all = sections, names = ByteList(), places: [Int] = []
        all.append((".shstrtab", 3, 0, 0, []))
        for section in all {
            places.append(names.bytes.count)
            names += ByteList(section.name)
        }
        all[all.count - 1].content = names
        var body = ByteList(), table = ByteList()
        for (index, section) in all.enumerated() {
            table += .word(places[index]) + .word(section.kind) + .long(section.flags) + .long(0)
            table += .long(64 + body.bytes.count) + .long(section.content.bytes.count) + .word(section.link) + .word(0)
            table += .long(1) + .long(0)
            body += section.content
        }
        var header: ByteList = [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        header += .half(3) + .half(62) + .word(1) + .long(0) + .long(0) + .long(64 + body.bytes.count) + .word(0)
        header += .half(64) + .half(56) + .half(0) + .half(64) + .half(all.count) + .half(all.count - 1)
        return (header + body + table).bytes
    }
}

/// A program file with two closures, a forwarder, and all the sections about their lines.
enum SampleElf {
    static let closure = "$s5Login0A5ModelCACycfcyycfU_", forwarder = "$s5Login0A5ModelCACycfcyycfU_TA"
    static let nested = "$s5Login0A5ModelC6nestedyyFyycfU_"

    /// The parts that can be left out or written differently.
    struct Form {
        var lineVersion = 4, isCompressed = false, hasLines = true, hasNames = true, isStripped = false
    }

    static func build(_ form: Form = Form()) -> [UInt8] {
        var elf = ElfBuilder()
        if !form.isStripped {
            var names: ByteList = [0], symbols = ByteList() + .long(0) + .long(0) + .long(0)
            for (name, address, size) in [(nested, 0x1040, 0x20), (closure, 0x1000, 0x20), (forwarder, 0x1020, 0x10)] {
                symbols += .word(names.bytes.count) + [2, 0, 1, 0] + .long(address) + .long(size)
                names += ByteList(name)
            }
            let strings = elf.add(".strtab", kind: 3, names)
            elf.add(".symtab", kind: 2, link: strings, symbols)
        }
        let flags = form.isCompressed ? 0x800 : 0
        if form.hasLines { elf.add(".debug_line", flags: flags, form.lineVersion == 5 ? lines5 : lines4) }
        elf.add(".debug_line_str", ByteList("/work/Login") + ByteList("Login/LoginModel.swift") + ByteList("<stdin>"))
        elf.add(".debug_str", ByteList("") + ByteList(closure))
        if form.hasNames { addEntries(&elf) }
        return elf.build()
    }

    /// The closure is at line 9. The forwarder has no line. The nested closure first has none, then 18.
    private static let program: ByteList =
        [0, 9, 2] + .long(0x1000) + [3, 8, 1]
        + [2, 0x20, 3, 0x77, 1]
        + [2, 0x20, 1] + [2, 4, 3, 18, 1]
        + [2, 0x1c, 0, 1, 1]

    private static let operands: ByteList = [13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]

    private static var lines4: ByteList {
        let tables: ByteList = ByteList("Login") + [0] + ByteList("LoginModel.swift") + [1, 0, 0, 0]
        let header: ByteList = [1, 1, 1, 0xfb, 14] + operands + tables
        return .counted(.half(4) + .counted(header) + program)
    }

    private static var lines5: ByteList {
        // Folders: one text in `.debug_line_str`. Files: a text there, the folder's number, a checksum.
        let folders: ByteList = [1, 1, 0x1f, 1] + .word(0)
        let sum = ByteList() + .long(0) + .long(0)
        let files: ByteList = [3, 1, 0x1f, 2, 0x0b, 5, 0x1e, 2] + .word(35) + [0] + sum + .word(12) + [0] + sum
        let header: ByteList = [1, 1, 1, 0xfb, 14] + operands + folders + files
        return .counted(.half(5) + [8, 0] + .counted(header) + program)
    }

    /// An inlined closure, which leads to the entry with line 7 of file 1.
    private static func addEntries(_ elf: inout ElfBuilder) {
        elf.add(
            ".debug_abbrev",
            [1, 0x11, 1, 0x10, 0x17, 0, 0] + [2, 0x1d, 0, 0x31, 0x13, 0, 0] + [
                3, 0x2e, 0, 0x3a, 0x0b, 0x3b, 0x21, 7, 0, 0, 0,
            ])
        let entries: ByteList = [1] + .word(0) + [2] + .word(21) + [3, 1] + [0]
        elf.add(".debug_info", .counted(.half(4) + .word(0) + [8] + entries))
        let hash = closure.utf8.reduce(UInt32(5381)) { $0 &* 33 &+ UInt32((65...90).contains($1) ? $1 + 32 : $1) }
        let kinds: ByteList = [1, 0x1d, 1, 0x0b, 3, 0x13, 0, 0, 0]
        let counts: ByteList =
            .word(1) + .word(0) + .word(0) + .word(1) + .word(1) + .word(kinds.bytes.count) + .word(0)
        let tables: ByteList = .word(0) + .word(1) + .word(Int(hash)) + .word(1) + .word(0)
        elf.add(".debug_names", .counted(.half(5) + .half(0) + counts + tables + kinds + [1, 0] + .word(16) + [0]))
    }
}
