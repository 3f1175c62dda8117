import Foundation
import Testing

@testable import WeirHeap

/// Images that a compiler and a linker have made.
struct RealImageTests {
    private static let descriptor = "$s5Login0A5ModelCMn", getter = "$s5Login0A5ModelC4nameSSvpACTK"
    private static let count = "$s5Login0A5ModelC5countSivpZ", change = "$s5Login0A5ModelC6changeyyF"

    private func names(_ symbols: SymbolTable) -> [String] {
        symbols.symbols(from: "$s5Login", to: "", atMost: 99).map(\.text).sorted()
    }

    #if os(Linux)
    @Test(arguments: ["arm64", "x86_64", "arm64e"])
    func `an object file of the compiler for Apple platforms has the names of its source`(processor: String) throws {
        let source = """
            int first(void) { return 1; }
            static __attribute__((noinline, used)) int getter(int x) __asm("_\(Self.getter)");
            static __attribute__((noinline, used)) int getter(int x) { return x + 2; }
            int change(int x) __asm("_\(Self.change)");
            int change(int x) { return getter(x); }
            """
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("weir-object-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (text, object) = (folder.appendingPathComponent("a.c"), folder.appendingPathComponent("a.o"))
        try Data(source.utf8).write(to: text)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "clang", "-target", "\(processor)-apple-macos14", "-O1", "-c", text.path, "-o", object.path,
        ]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        try Data(contentsOf: object).withUnsafeBytes { bytes in
            let symbols = try #require(SymbolFile(bytes)).symbols
            #expect(names(symbols) == [Self.getter, Self.change].sorted())
            let change = try #require(symbols.symbol(named: Self.change))
            #expect(symbols.symbol(at: change.address + 1)?.text == Self.change)
        }
    }
    #endif

    @Test func `an image of a linker is read with its local symbols, loaded or not`() throws {
        try file().withUnsafeBytes { bytes in
            let symbols = try #require(SymbolFile(bytes)).symbols
            #expect(names(symbols) == [Self.descriptor, Self.getter, Self.count, Self.change].sorted())
            #expect(symbols.symbol(at: 0x387)?.text == Self.getter && symbols.symbol(at: 0x388)?.text == Self.change)
        }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 0x9000, alignment: 0x1000)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        memory.copyBytes(from: try part(Self.header))
        UnsafeMutableRawBufferPointer(rebasing: memory[0x8000...]).copyBytes(from: try part(Self.link))
        let header = try #require(memory.baseAddress), slide = UInt(bitPattern: header)
        let module = try #require(LoadedModule(path: "m.dylib", machHeader: header, slide: slide))
        let symbols = HeapSymbols([module])
        #expect(symbols.symbolName(at: slide + 0x39c) == Self.descriptor)
        #expect(symbols.symbolName(at: slide + 0x4000) == Self.count)
        #expect(module.segments.map(\.isWritable) == [false, true, false])
    }

    @Test func `of an image without a table, the exported symbol is read from the tree of the linker`() throws {
        var bytes = try file()
        // LC_SYMTAB comes after the commands for the segments and the tables of the loader.
        let place = try #require(
            bytes.indices.first { $0 % 8 == 0 && bytes[$0..<$0 + 8].elementsEqual([2, 0, 0, 0, 24, 0, 0, 0]) })
        bytes.replaceSubrange(place..<place + 4, with: [0x1b, 0, 0, 0])
        try bytes.withUnsafeBytes { bytes in
            let symbols = try #require(SymbolFile(bytes)).symbols
            #expect(names(symbols) == [Self.change])
            #expect(symbols.symbol(named: Self.change)?.address == 0x388)
        }
    }

    private func part(_ text: String) throws -> [UInt8] {
        Array(try #require(Data(base64Encoded: text, options: .ignoreUnknownCharacters)))
    }

    private func file() throws -> [UInt8] {
        let header = try part(Self.header)
        return header + Array(repeating: 0, count: 0x8000 - header.count) + (try part(Self.link))
    }

    // A library for arm64 with these four symbols, linked by LLVM's ld64.lld 14: header with load commands, and __LINKEDIT.

    private static let header = """
        z/rt/gwAAAEAAAAABgAAAAwAAABAAwAAhQAQAAAAAAAZAAAAOAEAAF9fVEVYVAAAAAAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAA
        QAAAAAAAAAUAAAAFAAAAAwAAAAAAAABfX3RleHQAAAAAAAAAAAAAX19URVhUAAAAAAAAAAAAAIADAAAAAAAAHAAAAAAAAACAAwAAAgAAAAAA
        AAAAAAAAAAQAgAAAAAAAAAAAAAAAAF9fY29uc3QAAAAAAAAAAABfX1RFWFQAAAAAAAAAAAAAnAMAAAAAAAAEAAAAAAAAAJwDAAACAAAAAAAA
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAX191bndpbmRfaW5mbwAAAF9fVEVYVAAAAAAAAAAAAACgAwAAAAAAADgQAAAAAAAAoAMAAAIAAAAAAAAA
        AAAAAAAAAAAAAAAAAAAAAAAAAAAZAAAAmAAAAF9fREFUQQAAAAAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAAMAAAAD
        AAAAAQAAAAAAAABfX2RhdGEAAAAAAAAAAAAAX19EQVRBAAAAAAAAAAAAAABAAAAAAAAABAAAAAAAAAAAQAAAAgAAAAAAAAAAAAAAAAAAAAAA
        AAAAAAAAAAAAABkAAABIAAAAX19MSU5LRURJVAAAAAAAAACAAAAAAAAAkAIAAAAAAAAAgAAAAAAAAJACAAAAAAAAAQAAAAEAAAAAAAAAAAAA
        ACIAAIAwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgAAAKAAAAAIAAAAYAAAAMIAAAAQAAABwgAAAeAAAAAsAAABQAAAA
        AAAAAAMAAAADAAAAAQAAAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADQAAACgAAAAY
        AAAAAAAAAAAAAAAAAAAAbS1hcm02NC5keWxpYgAAABsAAAAYAAAATExE21VVMUSh69Nt5Jk3ETIAAAAgAAAAAQAAAAAADgAAAA4AAQAAAAMA
        AAAGAA4AJgAAABAAAAAogAAACAAAACkAAAAQAAAAMIAAAAAAAAAdAAAAEAAAAPCAAACgAQAA
        """

    private static let link = """
        AAFfJHM1TG9naW4wQTVNb2RlbEM2Y2hhbmdleXlGACADAIgHAAAAAIAHCAAAAAAAAgAAAA4BAACAAwAAAAAAACIAAAAOBAAAAEAAAAAAAABd
        AAAAHgIAAJwDAAAAAAAAQAAAAA8BAACIAwAAAAAAACAAXyRzNUxvZ2luMEE1TW9kZWxDNG5hbWVTU3ZwQUNUSwBfJHM1TG9naW4wQTVNb2Rl
        bEM1Y291bnRTaXZwWgBfJHM1TG9naW4wQTVNb2RlbEM2Y2hhbmdleXlGAF8kczVMb2dpbjBBNU1vZGVsQ01uAAAAAAAAAAAAAAAAAAAA+t4M
        wAAAAaAAAAABAAAAAAAAABgAAAAA+t4MAgAAAYgAAgQAAAIAAgAAAGgAAABYAAAAAAAAAAkAAIDwIAIADAAAAAAAAAAAAAAAAAAAAAAAAAAA
        AAAAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAG0tYXJtNjQuZHlsaWIAAAAGhH73N6bMz3XbCGyMeVsV+Dbz3HkTCVBodW2PIcbNnq1/rLJY
        b8bpZsAE19HRawJPWAX/fLR8eoXavYtIiSynrX+sslhvxulmwATX0dFrAk9YBf98tHx6hdq9i0iJLKetf6yyWG/G6WbABNfR0WsCT1gF/3y0
        fHqF2r2LSIksp/DFAOJAHhruM9Ea4lrhTldIIPvbFzFnCvGIj4jzwXeUrX+sslhvxulmwATX0dFrAk9YBf98tHx6hdq9i0iJLKetf6yyWG/G
        6WbABNfR0WsCT1gF/3y0fHqF2r2LSIksp61/rLJYb8bpZsAE19HRawJPWAX/fLR8eoXavYtIiSynf3csSb7RasxKisnNb1D6dD4leXYDxm60
        YLgBU/LdfUQ=
        """
}
