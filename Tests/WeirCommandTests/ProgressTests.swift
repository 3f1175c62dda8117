import Testing

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

    @Test(arguments: [(true, "xterm", 1), (true, "dumb", 0), (false, "xterm", 0)])
    func `reports are asked for only where a bar can be shown`(_ isTerminal: Bool, _ kind: String, _ count: Int) {
        let console = Console(
            output: Output(descriptor: -1), errors: { _ in Issue.record("no bar was due") },
            environment: ["TERM": kind], isOutputTerminal: false, isErrorTerminal: isTerminal)
        let asked = console.showingProgress(of: "x.weir") { report in report == nil ? 0 : 1 }
        #expect(asked == count)
    }
}
