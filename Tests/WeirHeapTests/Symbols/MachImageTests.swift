import Foundation
import Testing

@testable import WeirHeap

struct MachImageTests {
    private static let closure = "$s5Login0A5ModelCACycfcyycfU_", getter = "$s5Login0A5ModelC4nameSSvpACTK"

    private static var sample: MachBuilder {
        var image = MachBuilder()
        image.symbols = [
            MachBuilder.Symbol(name: "_a line for a debugger", address: 0x10_1010, kind: 0x2e),
            MachBuilder.Symbol(name: "_" + closure, address: 0x10_1000, kind: 0x0e),
            MachBuilder.Symbol(name: "ltmp0", address: 0x10_1020, kind: 0x0e),
            MachBuilder.Symbol(name: "_" + getter, address: 0x10_1040),
            MachBuilder.Symbol(name: "_second name", address: 0x10_1040),
            MachBuilder.Symbol(name: "_constant", address: 0x10_2000, section: 2),
            MachBuilder.Symbol(name: "_number", address: 0x10_1050, kind: 0x03),
            MachBuilder.Symbol(name: "_elsewhere", address: 0x10_1060, kind: 0x01, section: 0),
            MachBuilder.Symbol(name: "_no such section", address: 0x10_1070, section: 3),
            MachBuilder.Symbol(name: "_in another section", address: 0x10_2800, section: 1),
        ]
        return image
    }

    /// The symbols at addresses from the first to the last section, by ranges; nil: no file.
    private func names(_ bytes: [UInt8], from start: UInt64 = 0x10_0f00, to end: UInt64 = 0x10_2a00) -> [String?]? {
        bytes.withUnsafeBytes { bytes in
            guard let file = SymbolFile(bytes) else { return nil }
            return stride(from: start, to: end, by: 8).map { file.symbols.symbol(at: $0)?.text }
        }
    }

    @Test func `a symbol is found by any address in it, up to the next one or to the end of its section`() throws {
        try Self.sample.build().withUnsafeBytes { bytes in
            let addresses: [UInt64] = [
                0, 0x10_0fff, 0x10_1000, 0x10_101f, 0x10_1020, 0x10_103f, 0x10_1040, 0x10_1fff, 0x10_2000, 0x10_27ff,
                0x10_2800,
                .max,
            ]
            let expected = [
                nil, nil, Self.closure, Self.closure, nil, nil, Self.getter, Self.getter, "constant", "constant", nil,
                nil,
            ]
            // Few lookups search the table, more sort it.
            let file = try #require(SymbolFile(bytes))
            for _ in 0..<3 { #expect(addresses.map { file.symbols.symbol(at: $0)?.text } == expected) }
        }
    }

    @Test func `names are those of the source, without the underscore that Apple's linker puts before them`() throws {
        try Self.sample.build().withUnsafeBytes { bytes in
            let symbols = try #require(SymbolFile(bytes)).symbols
            #expect(symbols.symbol(named: Self.getter)?.address == 0x10_1040)
            #expect(symbols.symbol(named: "_" + Self.getter) == nil)
            for missing in ["ltmp0", "tmp0", "number", "elsewhere", "no such section", "in another section"] {
                #expect(symbols.symbol(named: missing) == nil)
            }
            let found = symbols.symbols(from: "$s5Login0A5ModelC", to: "TK", atMost: 9)
            #expect(found.map(\.text) == [Self.getter] && found.map(\.address) == [0x10_1040])
            #expect(symbols.symbols(from: "", to: "", atMost: 9).count == 4)
            #expect(symbols.symbols(from: "", to: "", atMost: 3).count == 3)
        }
    }

    @Test func `a table that is sorted for many lookups answers as one that is not`() throws {
        var random = SeededGenerator(seed: 61)
        var found = 0
        for _ in 0..<100 {
            var image = MachBuilder()
            image.symbols = [MachBuilder.Symbol(name: "_first", address: 0x10_1000)]
            image.sections = [
                MachBuilder.Section(name: "__text", address: 0x10_1000, size: 40),
                MachBuilder.Section(name: "__const", address: 0x10_1030, size: 12),
            ]
            for number in 0..<30 {
                image.symbols.append(
                    MachBuilder.Symbol(
                        name: Bool.random(using: &random) ? "_symbol \(number)" : "label \(number)",
                        address: 0x10_1000 + Int.random(in: 0...70, using: &random),
                        kind: [0x0e, 0x0f, 0x0f, 0x1e, 0x24, 0x01].randomElement(using: &random) ?? 0,
                        section: Int.random(in: 0...3, using: &random)))
            }
            try image.build().withUnsafeBytes { bytes in
                let sorted = try #require(SymbolFile(bytes)).symbols
                for _ in 0..<20 { _ = sorted.symbol(at: 0) }
                for address in UInt64(0x10_0ff0)..<0x10_1050 {
                    let unsorted = try #require(SymbolFile(bytes)).symbols
                    let (left, right) = (sorted.symbol(at: address), unsorted.symbol(at: address))
                    #expect(left?.text == right?.text && left?.address == right?.address)
                    if left != nil { found += 1 }
                }
            }
        }
        #expect(found > 1000)
    }

    @Test(arguments: [MachBuilder.Exports.info, .tree])
    func `an image without a table of symbols has those that it exports`(exports: MachBuilder.Exports) throws {
        var random = SeededGenerator(seed: 4)
        for count in [1, 2, 40, 300] {
            var image = MachBuilder()
            image.exports = exports
            var names: Set<String> = []
            while names.count < count {
                names.insert(
                    "_"
                        + (0..<Int.random(in: 1...6, using: &random)).map { _ in
                            "ab$s".randomElement(using: &random) ?? "a"
                        })
            }
            image.exported = names.sorted().enumerated().map { ($1, 0x10_1000 + $0 * 16) }
            try image.build().withUnsafeBytes { bytes in
                let symbols = try #require(SymbolFile(bytes)).symbols
                let found = symbols.symbols(from: "", to: "", atMost: 1000)
                let list = found.map { "_\($0.text) \($0.address)" }.sorted()
                #expect(list == image.exported.map { "\($0.name) \($0.address)" }.sorted())
                for (name, address) in image.exported {
                    #expect(symbols.symbol(at: UInt64(address) + 15)?.text == String(name.dropFirst()))
                }
            }
        }
    }

    @Test func `the table is preferred to the exported symbols, as it has the local ones too`() throws {
        var image = Self.sample
        image.exports = .tree
        image.exported = [("_other", 0x10_1080)]
        try image.build().withUnsafeBytes { bytes in
            let symbols = try #require(SymbolFile(bytes)).symbols
            #expect(symbols.symbol(named: Self.closure) != nil && symbols.symbol(named: "other") == nil)
        }
        image.symbols = [MachBuilder.Symbol(name: "_elsewhere", address: 0, kind: 0x01, section: 0)]
        try image.build().withUnsafeBytes { bytes in
            let symbols = try #require(SymbolFile(bytes)).symbols
            #expect(symbols.symbol(named: "other")?.address == 0x10_1080)
        }
        image.exports = .none
        #expect(names(image.build()) == nil)
    }

    @Test func `a loaded image is read where it is, and its addresses are those of the memory`() throws {
        try LoadedImage.with(Self.sample.build()) { header, slide in
            let module = try #require(LoadedModule(path: "Login", machHeader: header, slide: slide))
            #expect(module.base == slide)
            #expect(module.segments.map(\.isWritable) == [false, false])
            let getter = UInt(0x10_1040) &+ slide
            #expect(
                module.contains(getter) && !module.contains(slide) && !module.contains(UInt(bitPattern: header) - 1))
            let symbols = HeapSymbols([module])
            #expect(symbols.symbolName(at: getter) == Self.getter)
            #expect(symbols.symbolName(at: getter + 4) == nil)
            #expect(symbols.isInModule(getter))
            #expect(symbols.address(named: Self.getter, inModuleAt: UInt(bitPattern: header)) == getter)
            let found = symbols.symbols(from: "$s5Login", to: "TK", inModuleAt: getter + 0x1000)
            #expect(found.map(\.name) == [Self.getter] && found.map(\.address) == [getter])
            #expect(symbols.function(at: UInt(0x10_1008) &+ slide).name == "closure #1 in LoginModel.init()")
        }
    }

    @Test func `whatever has another format is no image`() throws {
        var other = Self.sample.build()
        for magic: [UInt8] in [[0xce, 0xfa, 0xed, 0xfe], [0xfe, 0xed, 0xfa, 0xcf], [0xca, 0xfe, 0xba, 0xbe]] {
            other.replaceSubrange(0..<4, with: magic)
            #expect(names(other) == nil)
        }
        for count in 0..<64 { #expect(names(Array(Self.sample.build()[..<count])) == nil) }
    }
}

/// An image in memory as the loader puts it there: at other addresses than it was linked for.
enum LoadedImage {
    static func with(
        _ file: [UInt8], _ body: (_ header: UnsafeRawPointer, _ slide: UInt) throws -> Void
    ) throws {
        let link = MachBuilder.linkAddress - MachBuilder.headerAddress
        let linked = file[MachBuilder.linkOffset...]
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: link + linked.count, alignment: 0x1000)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        memory.copyBytes(from: file[..<MachBuilder.linkOffset])
        UnsafeMutableRawBufferPointer(rebasing: memory[link...]).copyBytes(from: linked)
        let header = try #require(memory.baseAddress)
        try body(header, UInt(bitPattern: header) &- UInt(MachBuilder.headerAddress))
    }
}
