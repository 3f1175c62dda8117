import Testing
import WeirReport
import WeirTestSupport

/// The graphs of the samples, complete: what a user sees.
///
/// The number of a sample's events is left out: its second thread may still be cleaning up at the end. If two threads make
/// nodes, their order is random, and so is the order of the lines.
@Suite(.timeLimit(.minutes(15))) struct GraphGoldenTests {
    private let folder: BuiltCommand.Folder

    init() throws { folder = try BuiltCommand.Folder() }

    @Test(arguments: [("login", loginText), ("dice", diceText), ("form", formText)])
    func `the text of a sample's graph`(sample: String, golden: String) throws {
        expectEqual(lines(try graph(of: sample, "text")), lines(golden))
    }

    @Test(arguments: [("lookup", lookupText), ("travel", travelText)])
    func `the text of the graph of a sample with two threads`(sample: String, golden: String) throws {
        expectEqual(lines(try graph(of: sample, "text")).sorted(), lines(golden).sorted())
    }

    @Test(arguments: [("login", loginMermaid), ("dice", diceMermaid), ("form", formMermaid)])
    func `a sample's graph for Mermaid`(sample: String, golden: String) throws {
        expectEqual(lines(try graph(of: sample, "mermaid")), lines(golden))
    }

    @Test(arguments: ["login", "dice", "form", "lookup", "travel"])
    func `a sample's graph keeps Mermaid's grammar, and GitHub draws it`(sample: String) throws {
        let text = try graph(of: sample, "mermaid")
        let grammar = MermaidGrammar(text)
        #expect(grammar.complaints == [])
        #expect(grammar.edges.count <= GraphMermaid.mostEdges && text.utf16.count <= GraphMermaid.mostCharacters)
    }

    @Test func `a sample's graph for Graphviz`() throws {
        expectEqual(lines(try graph(of: "login", "dot")), lines(Self.loginDOT))
    }

    @Test(
        .enabled(if: Graphviz.path != nil, "Graphviz is not installed: no command 'dot'"),
        arguments: ["login", "dice", "form", "lookup", "travel"])
    func `Graphviz sees every node and edge of a sample`(sample: String) throws {
        let dot = try graph(of: sample, "dot")
        let plain = try Graphviz.plain(dot)
        // In the form of the text's heading: "12 nodes and 14 edges".
        let heading = lines(try graph(of: sample, "text"))[0].split(separator: " ")
        #expect(plain.count { $0.hasPrefix("node ") } == Int(heading[1]))
        #expect(plain.count { $0.hasPrefix("edge ") } == Int(heading[4]))
    }

    /// The built command's graph output for a run of the sample, without the number of events.
    private func graph(of sample: String, _ format: String) throws -> String {
        let trace = folder(sample + ".weir")
        let environment = ["WEIR_TRACE": trace]
        #expect(try BuiltCommand("weir-\(sample)", [], in: folder, environment: environment).wait().status == 0)
        let ended = try BuiltCommand.weir("graph", trace, "--format", format, in: folder)
        #expect(ended.status == 0 && ended.errors == "")
        let before = "recording of "
        guard let start = ended.output.ranges(of: before).first?.upperBound,
            let end = ended.output[start...].ranges(of: " events").first?.lowerBound
        else { return ended.output }
        return ended.output.replacingCharacters(in: start..<end, with: "…")
    }

    private func lines(_ text: String) -> [Substring] { text.split(separator: "\n") }

    private func expectEqual(_ lines: [Substring], _ golden: [Substring]) {
        for (line, wanted) in zip(lines, golden) where line != wanted { #expect(line == wanted) }
        #expect(lines.count == golden.count)
    }
}
