import Foundation
import Testing

/// Checks the page 'Adapters for other libraries' as well as possible without those libraries.
@Suite struct AdaptersPageTests {
    private static let page = try? DocumentationPage("Sources/Weir/Weir.docc/Adapters.md")

    @Test func `Each adapter has at most 40 lines, of at most 120 columns`() throws {
        let blocks = try #require(Self.page).codeBlocks
        #expect(blocks.map { $0.first ?? "" } == ["import RxSwift", "import ReactiveSwift"])
        for block in blocks {
            #expect(block.count <= 40 && block.allSatisfy { $0.count <= 120 })
            #expect(block.dropFirst().first == "import Weir")
            // The braces are balanced, so the block is complete.
            #expect(block.joined().filter { $0 == "{" }.count == block.joined().filter { $0 == "}" }.count)
        }
    }

    @Test func `Both tell the probe of all that happens, by functions that it has`() throws {
        let sources = try ["TraceProbe", "TraceProbe.Subscription"].map {
            try DocumentationPage("Sources/Weir/Wrapping/\($0).swift").text
        }.joined()
        let reported = ["emitted", "completed", "failed", "disposed"]
        for block in try #require(Self.page).codeBlocks.map({ $0.joined(separator: "\n") }) {
            for name in reported {
                #expect(block.contains("subscription.\(name)"), "\(name)")
                #expect(sources.contains("public func \(name)"), "\(name)")
            }
            #expect(block.contains("TraceProbe(name, of: ") && block.contains("subscribed("))
            #expect(block.contains("privacy: privacy, file: file, line: line)"))
        }
        // Signatures that the adapters call.
        for signature in [
            "_ name: String? = nil, of type: Any.Type? = nil, technique: TraceTechnique = .foreign,",
            "feeding target: TraceProbe? = nil,", "_ value: Value, _ body: () throws -> Result)",
            "failed(_ error: any Error, _ body: () throws -> Void)", "completed(_ body: () throws -> Void)",
        ] {
            #expect(sources.contains(signature), "\(signature)")
        }
    }
}
