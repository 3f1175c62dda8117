import Foundation
import Testing

/// The code on the page 'Checking in CI', taken from the page itself. `.ci/read-examples.py` reads its jobs.
@Suite struct CheckingPageTests {
    @Test func `The test of a project with XCTest compiles`() throws {
        let page = try DocumentationPage("Sources/WeirReport/WeirReport.docc/CheckingInCI.md")
        let blocks = page.codeBlocks.map { $0.joined(separator: "\n") }
        let example = try #require(blocks.first)
        #expect(blocks.count == 1 && example.contains("@testable import Shop"))
        let shop = try CompiledModule(
            "Shop", "@MainActor final class CartScreen { init() {}; func show() {} }", options: ["-enable-testing"])
        let compiled = try CompiledSource(example, options: shop.importOptions)
        #expect(compiled.errors.isEmpty, "\(compiled.output)")
        // A name that Weir does not have is an error: the example is compiled against the library.
        let mistaken = try CompiledSource(
            example.replacingOccurrences(of: "expectReleased", with: "expectGone"), options: shop.importOptions)
        #expect(mistaken.errors.first == "type 'Trace' has no member 'expectGone'")
    }
}
