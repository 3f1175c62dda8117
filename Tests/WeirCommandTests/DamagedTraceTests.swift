import Foundation
import Testing
import WeirReport
import WeirTestSupport
import WeirTrace

@testable import WeirAnalysis

@Suite(.timeLimit(.minutes(15)))
struct DamagedTraceTests {
    private let folder: BuiltCommand.Folder

    init() throws { folder = try BuiltCommand.Folder() }

    private func recorded() throws -> [UInt8] {
        let path = folder("login.weir")
        let ended = try BuiltCommand("weir-login", [], in: folder, environment: ["WEIR_TRACE": path]).wait()
        #expect(ended.status == 0)
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// The output of all reports on the trace at `path`, and whether they called it complete.
    private func reports(_ path: String) throws -> (text: String, isComplete: Bool) {
        let reader = try TraceReader(path: path)
        let definitions = try reader.definitions()
        let scale = TimeScale(reader.header)
        let lines = EventLines(definitions, timeScale: scale)
        let chain = CascadeTree(definitions, timeScale: scale)
        var counter = SummaryCounter(header: reader.header, definitions: definitions)
        var filter = EventFilter(definitions, timeScale: scale)
        filter.stimulus = .number(1)
        var text = ""
        var assembler = CascadeAssembler { text += chain.lines($0).joined(separator: "\n") + "\n" }
        reader.forEachEvent { event in
            text += lines.text(event) + "\n" + lines.json(event).text + "\n"
            counter.count(event)
            counter.checkInvariants()
            assembler.take(event)
            assembler.checkInvariants()
            _ = filter.passes(event)
            return true
        }
        assembler.finish()
        let summary = try TraceSummary(of: reader)
        let report = InfoReport(summary, path: path, fileSize: 1, top: nil)
        return (text + report.text() + report.json.text, summary.isComplete)
    }

    @Test func `whatever byte is changed, the reports end, say so, and steer no terminal`() throws {
        let original = try recorded()
        // The end of the file holds the records; the beginning holds its header and the first definitions.
        let inUse = original.indices.filter { original[$0] != 0 }
        var random = SeededGenerator(seed: 11)
        let whole = try reports(folder.write("x.weir", original))
        #expect(whole.isComplete)
        var unreadable = 0
        for _ in 0..<Repeats.count(30) {
            var damaged = original
            let place = inUse[Int.random(in: inUse.indices, using: &random)]
            damaged[place] = UInt8.random(in: 0...255, using: &random)
            let path = try folder.write("x.weir", damaged)
            do {
                let (text, isComplete) = try reports(path)
                let hasControls = text.unicodeScalars.contains {
                    $0 != "\n" && $0.properties.generalCategory == .control
                }
                #expect(!hasControls, "byte \(place)")
                if text != whole.text { #expect(!isComplete, "byte \(place)") }
            } catch is TraceError {
                unreadable += 1
            }
        }
        #expect(unreadable < Repeats.count(15))
    }

    @Test func `wherever a trace is cut off, the reports say that it is incomplete`() throws {
        let original = try recorded()
        for length in stride(from: 4096, to: original.count, by: Repeats.factor > 1 ? 331 : 4001) {
            let (_, isComplete) = try reports(folder.write("x.weir", original.prefix(length)))
            #expect(!isComplete, "cut at \(length)")
        }
    }

    @Test func `the example of the summary's page runs`() throws {
        let path = try folder.write("login.weir", recorded())
        let summary = try TraceSummary(of: TraceReader(path: path))
        var printed: [String] = []
        for node in summary.busiestNodes {
            printed.append("\(node.name) \(node.emissions) \(node.refreshes)")
        }
        #expect(printed.contains { $0.hasPrefix("LoginViewModel.instruction ") })
    }
}
