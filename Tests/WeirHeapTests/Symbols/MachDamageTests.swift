import Testing

@testable import WeirHeap

/// Damaged Mach-O images: no byte of them is trusted.
struct MachDamageTests {
    private static func sample(_ exports: MachBuilder.Exports, isStripped: Bool) -> [UInt8] {
        var image = MachBuilder()
        image.exports = exports
        image.exported = (0..<12).map { ("_$s5Login\($0)", 0x10_1000 + $0 * 16) }
        if !isStripped { image.symbols = image.exported.map { MachBuilder.Symbol(name: $0.name, address: $0.address) } }
        return image.build()
    }

    /// Everything that a file says.
    private func facts(_ bytes: [UInt8]) -> [String]? {
        bytes.withUnsafeBytes { bytes in
            guard let file = SymbolFile(bytes) else { return nil }
            let all = file.symbols.symbols(from: "", to: "", atMost: 100).map { "\($0.text) \($0.address) \($0.size)" }
            let few = stride(from: UInt64(0x10_0ff8), to: 0x10_1100, by: 8).map {
                file.symbols.symbol(at: $0)?.text ?? ""
            }
            return all + few + [file.symbols.symbol(named: "$s5Login7").map { "\($0.address)" } ?? ""]
        }
    }

    @Test(arguments: [MachBuilder.Exports.none, .info, .tree, .info, .tree].enumerated().map { ($1, $0 > 2) })
    func `a damaged image is read as far as it goes`(exports: MachBuilder.Exports, isStripped: Bool) throws {
        let sound = Self.sample(exports, isStripped: isStripped)
        let expected = facts(sound)
        try #require(expected != nil)
        // Everything but the empty memory of the sections.
        let places = sound.indices.filter { $0 < 0x400 || $0 >= MachBuilder.linkOffset }
        var random = SeededGenerator(seed: 8)
        var different = 0, unreadable = 0
        for _ in 0..<3000 {
            var damaged = sound
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                guard let place = places.randomElement(using: &random) else { break }
                let value = [0, 1, 0x7f, 0x80, 0xff, UInt8.random(in: 0...255, using: &random)]
                damaged[place] = value.randomElement(using: &random) ?? 0
            }
            let found = facts(damaged)
            if found != expected { different += 1 }
            if found == nil { unreadable += 1 }
        }
        #expect(different > 600)
        #expect(unreadable > 100)
        for end in places where facts(Array(sound[..<end])) == nil { unreadable += 1 }
        #expect(unreadable > 600)
    }

    /// Replaces the number at the start of the load command `kind`, `distance` bytes after it.
    private func replace(_ bytes: [UInt8], in kind: Int, at distance: Int, with value: ByteList) -> [UInt8] {
        var (bytes, place) = (bytes, 32)
        while place < 0x400 {
            let size = Int(bytes[place + 4]) | Int(bytes[place + 5]) << 8
            if bytes[place..<place + 4].elementsEqual(ByteList.word(kind).bytes) {
                bytes.replaceSubrange(place + distance..<place + distance + value.bytes.count, with: value.bytes)
                return bytes
            }
            place += max(size, 8)
        }
        return bytes
    }

    @Test func `counts and offsets that lead outside are refused`() {
        let sound = Self.sample(.tree, isStripped: false)
        let exportsOnly = facts(Self.sample(.tree, isStripped: true))?.first
        let huge: ByteList = [0xff, 0xff, 0xff, 0xff]
        for distance in [8, 12, 16, 20] {
            // The symbols are unreadable; the tree still is.
            #expect(facts(replace(sound, in: 0x2, at: distance, with: huge))?.first == exportsOnly)
        }
        var header = sound
        header.replaceSubrange(16..<20, with: huge.bytes)
        #expect(facts(header) == facts(sound))
        header.replaceSubrange(20..<24, with: huge.bytes)
        #expect(facts(header) == nil)
        // A command without length must not be read forever.
        #expect(facts(replace(sound, in: 0x19, at: 4, with: .word(0))) == nil)
        // A segment with four billion sections.
        #expect(facts(replace(sound, in: 0x19, at: 64, with: huge)) != nil)
    }

    @Test func `a tree with a cycle ends, and one whose paths share everything too`() throws {
        let sections: [UInt64] = [0x2000]
        // The root has the branch 'a' to a node that exports something and has the branches 'b' to itself and 'c' to the root.
        let cycle: [UInt8] = [0, 1, 0x61, 0, 5] + [2, 0, 0x10, 2, 0x62, 0, 5, 0x63, 0, 0]
        cycle.withUnsafeBytes { cycle in
            let table = ExportTree.table(cycle, headerAddress: 0x1000, sectionEnds: sections)
            #expect(table.names == [0, 0x61, 0] && table.symbols.count == 16)
        }
        // Neither a name of another image (8), nor a variable of threads (1), nor a constant (2), but a weak one (4).
        for (flags, count) in [(8, 0), (1, 0), (2, 0), (4, 1), (0, 1)] as [(UInt8, Int)] {
            let tree: [UInt8] = [0, 1, 0x61, 0, 5] + [2, flags, 0x10, 0]
            tree.withUnsafeBytes { tree in
                let table = ExportTree.table(tree, headerAddress: 0x1000, sectionEnds: sections)
                #expect(table.symbols.count == 16 * count)
            }
        }
        // Each node exports a name and leads to the next one, so that the names have n² bytes.
        var chain: [UInt8] = []
        let count = 40_000, label = [UInt8](repeating: 0x61, count: 4)
        for number in 0..<count {
            chain += [2, 0, 0x10, 1] + label + [0] + ByteList.variable((number + 1) * 13).bytes
        }
        chain += [2, 0, 0x10, 0]
        chain.withUnsafeBytes { chain in
            let table = ExportTree.table(chain, headerAddress: 0x1000, sectionEnds: sections)
            #expect(table.names.count < 1 << 26 + 1 << 17 && table.symbols.count > 16 * 1000)
        }
    }
}
