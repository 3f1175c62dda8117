import Testing
import WeirAnalysis
import WeirTrace

@testable import WeirCommand

struct ProgressTests {
    private let second: UInt64 = 1_000_000_000

    @Test func `a short pass shows no bar`() {
        var bar = ProgressBar("x.weir", now: 50)
        #expect(bar.drawing(of: 0.5, now: 50) == nil)
        #expect(bar.drawing(of: 0.99, now: 49 + second) == nil)
        #expect(bar.erasure() == "")
    }

    @Test func `after a second there is a bar, drawn ten times a second and taken away once`() {
        var bar = ProgressBar("traces/x.weir", now: 0)
        #expect(bar.drawing(of: 0.5, now: second) == "\rx.weir ████████████░░░░░░░░░░░░ 50 %\u{1B}[K")
        #expect(bar.drawing(of: 0.6, now: second + 99_999_999) == nil)
        #expect(bar.drawing(of: 0.99, now: second + 100_000_000) == "\rx.weir ███████████████████████░ 99 %\u{1B}[K")
        #expect(bar.erasure() == "\r\u{1B}[K")
        #expect(bar.erasure() == "")
    }

    @Test func `a bar fits a narrow terminal whatever the file is called, and does nothing else to it`() {
        let name = "\u{1B}[2J" + String(repeating: "長", count: 50)
        for fraction in [-1, 0, 0.5, 1, 7] {
            var bar = ProgressBar(name, now: 0)
            let drawing = bar.drawing(of: fraction, now: second) ?? ""
            #expect(drawing.hasPrefix("\r\\u{1B}[2J") && drawing.count < 60)
        }
    }

    @Test func `a pass tells how far it is, and hands out the same events`() throws {
        let folder = try BuiltCommand.Folder()
        let login = try BuiltCommand(
            "weir-login", ["--rounds", "800"], in: folder, environment: ["WEIR_TRACE": folder("x.weir")])
        #expect(try login.wait().status == 0)
        let reader = try TraceReader(path: folder("x.weir"))
        var reports: [PassProgress] = []
        var events: UInt64 = 0
        reader.forEachEvent(reporting: { reports.append($0) }) { _ in
            events += 1
            return true
        }
        var fractions: [Double] = []
        let reported = try TraceSummary(of: reader) { fractions.append($0.fraction) }
        let silent = try TraceSummary(of: reader)
        #expect(reported.eventCount == events && silent.eventCount == events && reported.nodes == silent.nodes)
        #expect(fractions.allSatisfy { (0...0.99).contains($0) })
        #expect(events > 2 * PassProgress.interval)
        #expect(UInt64(reports.count) == events / PassProgress.interval)
        #expect(reports.map(\.events) == (1...UInt64(reports.count)).map { $0 * PassProgress.interval })
        // The estimate comes from the first chunks; in a trace of equal rounds it is nearly exact.
        let expected = Double(reports[0].expectedEvents) / Double(events)
        #expect((0.8...1.25).contains(expected))
    }

    @Test func `the part done is between nothing and nearly all`() {
        #expect(PassProgress(events: 5, expectedEvents: 0).fraction == 0)
        #expect(PassProgress(events: 5, expectedEvents: 10).fraction == 0.5)
        #expect(PassProgress(events: 15, expectedEvents: 10).fraction == 0.99)
    }

    @Test(arguments: [(true, "xterm", 1), (true, "dumb", 0), (false, "xterm", 0)])
    func `reports are asked for only where a bar can be shown`(_ isTerminal: Bool, _ kind: String, _ count: Int) {
        let console = Console(
            output: Output(descriptor: -1), errors: { _ in Issue.record("no bar was due") },
            environment: ["TERM": kind], isOutputTerminal: false, isErrorTerminal: isTerminal)
        let asked = console.showingProgress(of: "x.weir") { report in report == nil ? 0 : 1 }
        #expect(asked == count)
    }
}
