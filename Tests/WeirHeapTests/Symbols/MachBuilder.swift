/// Builds a small Mach-O image: header, load commands, symbols and the tree of exports.
struct MachBuilder {
    struct Symbol {
        var name: String
        var address: Int
        /// By default a symbol of a section that others can use.
        var kind = 0x0f
        var section = 1
    }

    struct Section {
        var name: String
        var address: Int
        var size: Int
    }

    /// How the image says where its tree of exports is.
    enum Exports: CaseIterable { case none, info, tree }

    /// The memory of the header and of the symbols. Those are elsewhere in the file.
    static let headerAddress = 0x10_0000, linkAddress = 0x10_5000, linkOffset = 0x3000

    var processor = 0x0100_000c
    var sections = [
        Section(name: "__text", address: 0x10_1000, size: 0x1000),
        Section(name: "__const", address: 0x10_2000, size: 0x800),
    ]
    var symbols: [Symbol] = []
    /// The memory of the segment with the sections, and that of the symbols.
    var text: Range<UInt> = UInt(headerAddress)..<UInt(headerAddress) + 0x3000
    var link = linkAddress
    var exports = Exports.none
    var exported: [(name: String, address: Int)] = []

    /// The file.
    func build() -> [UInt8] {
        var names: ByteList = [0x20, 0], table = ByteList()
        for symbol in symbols {
            table +=
                .word(names.bytes.count) + [UInt8(symbol.kind), UInt8(symbol.section), 0, 0] + .long(symbol.address)
            names += ByteList(symbol.name)
        }
        let tree = exports == .none ? ByteList() : ExportTreeBuilder.build(exported)
        let tables = table + names + tree
        let (nameOffset, treeOffset) = (
            Self.linkOffset + table.bytes.count, Self.linkOffset + table.bytes.count + names.bytes.count
        )
        var commands = [
            Self.segment("__PAGEZERO", 0, 0x1000, 0, 0, 0),
            Self.segment("__TEXT", Int(text.lowerBound), text.count, 0, Self.linkOffset, 5, sections),
            Self.segment("__LINKEDIT", link, tables.bytes.count, Self.linkOffset, tables.bytes.count, 1),
            .word(0x2) + .word(24) + .word(Self.linkOffset) + .word(symbols.count) + .word(nameOffset)
                + .word(names.bytes.count),
            .word(0xb) + .word(80) + ByteList(zeros: 72),
        ]
        switch exports {
        case .none: break
        case .info:
            commands.append(
                .word(0x8000_0022) + .word(48) + ByteList(zeros: 32) + .word(treeOffset) + .word(tree.bytes.count))
        case .tree:
            commands.append(.word(0x8000_0033) + .word(16) + .word(treeOffset) + .word(tree.bytes.count))
        }
        let list = commands.reduce(ByteList(), +)
        let header: ByteList =
            .word(0xfeed_facf) + .word(processor) + .word(0) + .word(6) + .word(commands.count)
            + .word(list.bytes.count) + .word(0x85) + .word(0)
        let start = header + list
        return (start + ByteList(zeros: Self.linkOffset - start.bytes.count) + tables).bytes
    }

    private static func segment(
        _ name: String, _ address: Int, _ size: Int, _ offset: Int, _ fileSize: Int, _ protection: Int,
        _ sections: [Section] = []
    ) -> ByteList {
        var list: ByteList = .word(0x19) + .word(72 + 80 * sections.count) + ByteList(padded: name) + .long(address)
        list += .long(size) + .long(offset) + .long(fileSize) + .word(protection) + .word(protection)
        list += .word(sections.count) + .word(0)
        for section in sections {
            list += ByteList(padded: section.name) + ByteList(padded: name) + .long(section.address)
            list += .long(section.size) + ByteList(zeros: 32)
        }
        return list
    }
}

extension ByteList {
    init(zeros count: Int) {
        self.init()
        bytes = Array(repeating: 0, count: count)
    }

    /// A name in a field of 16 bytes.
    init(padded name: String) {
        self.init()
        bytes = Array(name.utf8) + Array(repeating: 0, count: 16 - name.utf8.count)
    }

    /// A number in four bytes of seven bits, so that the length does not depend on it.
    static func variable(_ number: Int) -> ByteList {
        var list = ByteList()
        list.bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (7 * $0)) & 0x7f | ($0 < 3 ? 0x80 : 0) }
        return list
    }
}

/// Builds the tree of exported symbols: the names by their common beginnings.
enum ExportTreeBuilder {
    static func build(_ symbols: [(name: String, address: Int)]) -> ByteList {
        var bytes: [UInt8] = []
        write(symbols.map { (Array($0.name.utf8), $0.address - MachBuilder.headerAddress) }, &bytes)
        var list = ByteList()
        list.bytes = bytes
        return list
    }

    private static func write(_ symbols: [(name: [UInt8], offset: Int)], _ bytes: inout [UInt8]) {
        if let own = symbols.first(where: { $0.name.isEmpty }) {
            bytes += [5, 0] + ByteList.variable(own.offset).bytes
        } else {
            bytes.append(0)
        }
        let groups = Dictionary(grouping: symbols.filter { !$0.name.isEmpty }, by: { $0.name[0] })
            .sorted { $0.key < $1.key }.map(\.value)
        bytes.append(UInt8(groups.count))
        var places: [(place: Int, children: [(name: [UInt8], offset: Int)])] = []
        for group in groups {
            var common = group[0].name
            for symbol in group {
                common = Array(zip(common, symbol.name).prefix { $0 == $1 }.map(\.0))
            }
            bytes += common + [0]
            places.append((bytes.count, group.map { (Array($0.name.dropFirst(common.count)), $0.offset) }))
            bytes += ByteList.variable(0).bytes
        }
        for (place, children) in places {
            bytes.replaceSubrange(place..<place + 4, with: ByteList.variable(bytes.count).bytes)
            write(children, &bytes)
        }
    }
}
