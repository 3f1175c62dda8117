import Testing
import WeirTestSupport

@testable import WeirHeap

struct SymbolFileTests {
    private typealias Place = LineTable.Place

    /// The positions of the three symbols, looked up by addresses in their middle.
    private func places(_ bytes: [UInt8]) -> [Place?]? {
        bytes.withUnsafeBytes { bytes in
            guard let file = SymbolFile(bytes) else { return nil }
            return [0x1008, 0x1028, 0x105f].map { address in
                file.symbols.symbol(at: address).flatMap { file.place(of: $0) }
            }
        }
    }

    @Test func `a symbol is found by any address in it, and by no other`() throws {
        let names = try SampleElf.build().withUnsafeBytes { bytes in
            let file = try #require(SymbolFile(bytes))
            return [0, 0xfff, 0x1000, 0x101f, 0x1020, 0x102f, 0x1030, 0x103f, 0x1040, 0x105f, 0x1060, UInt64.max].map {
                file.symbols.symbol(at: $0)?.text
            }
        }
        let closure = SampleElf.closure, forwarder = SampleElf.forwarder, nested = SampleElf.nested
        #expect(names == [nil, nil, closure, closure, forwarder, forwarder, nil, nil, nested, nested, nil, nil])
    }

    @Test func `a table that is sorted for many lookups answers as one that is not`() throws {
        var random = SeededGenerator(seed: 16)
        var found = 0
        for round in 0..<200 {
            var names: ByteList = [0], symbols = ByteList()
            for number in 0..<30 {
                // Equal addresses, unknown sizes, symbols in others, other kinds, and, in some rounds, names outside the file.
                let kind = UInt8([0, 1, 2, 2, 2, 3].randomElement(using: &random) ?? 0)
                let name = round % 10 == 9 ? Int.random(in: 0...9999, using: &random) : names.bytes.count
                symbols += .word(name) + [kind, 0, 1, 0]
                symbols += .long(Int.random(in: 0...60, using: &random)) + .long(Int.random(in: 0...9, using: &random))
                names += ByteList("symbol \(number)")
            }
            var elf = ElfBuilder()
            let text = elf.add(".strtab", kind: 3, names)
            elf.add(".symtab", kind: 2, link: text, symbols)
            try elf.build().withUnsafeBytes { bytes in
                let sorted = try #require(SymbolFile(bytes)).symbols
                for _ in 0..<20 { _ = sorted.symbol(at: 0) }
                for address in UInt64(0)..<70 {
                    let unsorted = try #require(SymbolFile(bytes)).symbols
                    let (left, right) = (sorted.symbol(at: address), unsorted.symbol(at: address))
                    #expect(left?.text == right?.text && left?.address == right?.address)
                    if left != nil { found += 1 }
                }
                #expect(round % 10 == 9 || sorted.symbol(named: "symbol 99") == nil)
            }
        }
        #expect(found > 5000)
    }

    @Test(arguments: [(4, "Login"), (5, "/work/Login/Login")])
    func `lines are read of every version`(version: Int, folder: String) {
        func line(_ number: Int) -> Place { Place(file: "LoginModel.swift", line: number, folder: folder) }
        let form = SampleElf.Form(lineVersion: version, hasNames: false)
        #expect(
            places(SampleElf.build(form)) == [line(9), line(9), line(18)])
    }

    @Test func `where a closure is declared is better than where its first instruction comes from`() {
        func line(_ number: Int) -> Place { Place(file: "LoginModel.swift", line: number, folder: "Login") }
        #expect(places(SampleElf.build()) == [line(7), line(7), line(18)])
    }

    @Test func `files of one name in two folders are two files`() {
        func file(_ name: String, in folder: String?) -> Place { Place(file: name, line: 1, folder: folder) }
        let own = file("Observable.swift", in: "/work/App")
        #expect(own.isInFile(of: Place(file: "Observable.swift", line: 2, folder: "/work/App")))
        #expect(!own.isInFile(of: file("Observable.swift", in: "/work/weir/Sources/Weir/Core")))
        #expect(!own.isInFile(of: file("Emitter.swift", in: "/work/App")))
        #expect(own.isInFile(of: file("Observable.swift", in: nil)))
        #expect(file("Observable.swift", in: nil).isInFile(of: own))
    }

    @Test func `without lines, or with compressed ones, there are names only`() {
        #expect(places(SampleElf.build(SampleElf.Form(hasLines: false))) == [nil, nil, nil])
        #expect(places(SampleElf.build(SampleElf.Form(isCompressed: true))) == [nil, nil, nil])
    }

    @Test func `a stripped file has no symbols`() {
        #expect(places(SampleElf.build(SampleElf.Form(isStripped: true))) == nil)
    }

    @Test func `a damaged file is read as far as it goes`() {
        var random = SeededGenerator(seed: 6)
        var different = 0, unreadable = 0
        for version in [4, 5] {
            for hasNames in [true, false] {
                let sound = SampleElf.build(SampleElf.Form(lineVersion: version, hasNames: hasNames))
                let expected = places(sound)
                for end in stride(from: 0, to: sound.count, by: 3) where places(Array(sound[..<end])) == nil {
                    unreadable += 1
                }
                for _ in 0..<Repeats.count(800) {
                    var damaged = sound
                    for _ in 0..<Int.random(in: 1...4, using: &random) {
                        let value = [0, 1, 0x7f, 0x80, 0xff, UInt8.random(in: 0...255, using: &random)]
                        damaged[Int.random(in: 0..<sound.count, using: &random)] =
                            value.randomElement(using: &random) ?? 0
                    }
                    if places(damaged) != expected { different += 1 }
                }
            }
        }
        #expect(different > Repeats.count(200))
        #expect(unreadable > 100)
    }
}
