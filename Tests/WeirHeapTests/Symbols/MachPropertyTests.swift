import Foundation
import Observation
import Testing

@testable import WeirHeap

@Observable private final class Profile {
    var name = "Maruko"
    fileprivate(set) var visits = 3
    var lines: [String] = []
    @ObservationIgnored var note = ""
}

/// The properties of a class of this program, found in its symbols as a Mach-O image would hold them.
struct MachPropertyTests {
    #if os(Linux)
    @Test func `the properties of an observable class are found in the symbols of either format`() throws {
        let profile = Profile()
        // Code that uses the properties.
        withObservationTracking {
            _ = (profile.name, profile.visits, profile.lines)
        } onChange: {
        }
        let paths: [PartialKeyPath<Profile>] = [\.name, \.visits, \.lines]
        #expect(paths.count == 3)
        let ofFile = PropertyGetter.all(of: Profile.self, HeapSymbols())
        try #require(ofFile.getters.map(\.name).sorted() == ["lines", "name", "visits"])
        try ProgramAsImage.with { module in
            let symbols = HeapSymbols([module])
            let found = PropertyGetter.all(of: Profile.self, symbols)
            #expect(found.getters.map(\.name) == ofFile.getters.map(\.name))
            #expect(found.unreadable == ofFile.unreadable)
            for getter in found.getters { getter.read(profile) }
        }
        // Without the symbols, nothing is found.
        try ProgramAsImage.with(prefix: "$s10Foundation") { module in
            #expect(PropertyGetter.all(of: Profile.self, HeapSymbols([module])).getters.isEmpty)
        }
    }
    #endif
}

#if os(Linux)
/// The symbols of this program, as a loaded Mach-O image with other addresses would have them.
enum ProgramAsImage {
    private static let slide: UInt = 0x4000

    /// The symbols that begin with `prefix`.
    static func with(prefix: String = "$s13WeirHeapTests", _ body: (LoadedModule) throws -> Void) throws {
        let here = Metadata(Profile.self).classDescriptor?.address ?? 0
        let program = try #require(LoadedModule.loaded().first { $0.contains(here) })
        // Its symbols' names are in the file.
        let file = try #require(SymbolFile(program))
        defer { withExtendedLifetime(file) {} }
        let symbols = file.symbols.symbols(from: prefix, to: "", atMost: 200_000)
        let start = try #require(program.segments.map(\.memory.lowerBound).min())
        let end = try #require(program.segments.map(\.memory.upperBound).max())
        var image = MachBuilder()
        image.sections = [
            MachBuilder.Section(name: "__all", address: Int(start &- slide), size: Int(end - start))
        ]
        image.symbols = symbols.map {
            MachBuilder.Symbol(name: "_" + $0.text, address: Int(UInt($0.address) &+ program.base &- slide), kind: 0x0e)
        }
        image.text = start &- slide..<end &- slide
        let size = image.build().count
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 0x1000)
        defer { memory.deallocate() }
        let header = try #require(memory.baseAddress)
        // The symbols are in the buffer, and not at a distance from the program.
        image.link = Int(UInt(bitPattern: header) + UInt(MachBuilder.linkOffset) &- slide)
        memory.copyBytes(from: image.build())
        try body(try #require(LoadedModule(path: "program", machHeader: header, slide: slide)))
    }
}
#endif
