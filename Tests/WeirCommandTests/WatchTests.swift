import Foundation
import Testing
import WeirAnalysis
import WeirReport
import WeirTrace

/// What `weir watch` shows.
@Suite(.timeLimit(.minutes(15))) struct WatchTests {
    private let folder: BuiltCommand.Folder

    init() throws { folder = try BuiltCommand.Folder() }

    private func trace() throws -> String {
        let path = folder("login.weir")
        let environment = ["WEIR_TRACE": path, "WEIR_CLOCK": "virtual", "WEIR_SNAPSHOTS": "standard"]
        let ended = try BuiltCommand("weir-login", ["published"], in: folder, environment: environment).wait()
        try #require(ended.status == 0, "\(ended.errors)")
        return path
    }

    private func weir(_ arguments: String...) throws -> BuiltCommand.Ended {
        try BuiltCommand("weir", arguments, in: folder).wait()
    }

    @Test(arguments: [("80x24", WatchGoldens.small), ("200x60", WatchGoldens.large)])
    func `a screen shows the busiest nodes and the findings`(size: String, golden: String) throws {
        let ended = try weir("watch", try trace(), "--once", "--size", size)
        #expect(ended.status == 0 && ended.errors.isEmpty)
        #expect(ended.output == golden)
    }

    @Test(arguments: [(20, 4), (40, 10), (60, 16), (61, 24), (80, 24), (119, 30), (200, 60)])
    func `no line is wider than the terminal, and no screen higher`(columns: Int, rows: Int) throws {
        let ended = try weir("watch", "--once", "--size", "\(columns)x\(rows)", try trace())
        let lines = ended.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(lines.count == rows)
        #expect(lines.allSatisfy { TerminalText.width($0) <= columns })
    }

    @Test func `wrong usage is one sentence`() throws {
        let path = try trace()
        for (arguments, sentence) in [
            (["watch", path, "--size", "80x24"], "--size works only with --once; add it, or leave --size out."),
            (["watch", path, "--once", "--size", "80"], "--size cannot be '80'"),
            (["watch", "--", "true"], "`weir watch` needs a terminal"),
        ] {
            let ended = try BuiltCommand("weir", arguments, in: folder).wait()
            #expect(ended.status == 2)
            #expect(ended.errors.contains(sentence), "\(ended.errors)")
        }
    }

    // MARK: The state

    private func event(_ kind: EventKind, _ subject: UInt32 = 0, at ticks: UInt64, number: UInt64 = 1) -> TraceEvent {
        TraceEvent(id: EventID(thread: 1, sequence: number), kind: kind, ticks: ticks, subject: subject)
    }

    @Test func `counts go to the intervals of their events, and old ones are forgotten`() {
        var state = WatchState(TimeScale(ticksPerSecond: 1000, startTicks: 5000))
        for second: UInt64 in [0, 0, 1, 3, 3, 3] { state.take(event(.emitted, 7, at: 5000 + second * 1000 + 10)) }
        #expect(state.nodes.map(\.id) == [7] && state.nodes[0].emissions == 6)
        #expect(state.emissionRates.counts(4, upTo: 3) == [2, 1, 0, 3])
        #expect(state.emissionRates.counts(3, upTo: 4) == [0, 3, 0])
        state.take(event(.emitted, 7, at: 5000 + 62_000))
        // Interval 2 has the place of interval 62 now; 3 is the oldest one that is still there.
        #expect(state.emissionRates[62] == 1 && state.emissionRates[2] == 0 && state.emissionRates[3] == 3)
        state.take(event(.emitted, 7, at: 5000 + 1_000_000))
        #expect(state.emissionRates.counts(60, upTo: 1000).reduce(0, +) == 1)
        // An event of another thread may be a little older.
        state.take(event(.emitted, 7, at: 5000 + 999_500))
        #expect(state.emissionRates.counts(2, upTo: 1000) == [1, 1])
    }

    @Test func `subscriptions are counted as long as they live`() {
        var state = WatchState(TimeScale(ticksPerSecond: 1000, startTicks: 0))
        var definitions = TraceDefinitions()
        definitions.subscriptions[4] = TraceSubscription(id: 4, source: 9)
        let started = event(.subscriptionStarted, 4, at: 1)
        #expect(state.lacksDefinition(of: started))
        state.update(definitions)
        #expect(!state.lacksDefinition(of: started))
        state.take(started)
        #expect(state.liveSubscriptions == 1 && state.nodes[0].subscriptions == 1)
        state.take(event(.deliveryBegan, 4, at: 2))
        #expect(state.nodes[0].refreshes == 1)
        state.take(event(.subscriptionEnded, 4, at: 3))
        state.take(event(.subscriptionEnded, 4, at: 4))
        #expect(state.liveSubscriptions == 0 && state.nodes[0].subscriptions == 0)
    }

    // MARK: In a terminal

    /// Drives the command in tmux, as a user does. Only on request: it depends on the time of a busy machine.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["WEIR_TMUX"] != nil, "only with WEIR_TMUX=1"))
    func `a user watches, filters, opens, asks why, and leaves`() throws {
        let path = try trace()
        let socket = "weir-watch-\(UUID().uuidString)"
        // The server stays: it must not keep what `Process` waits for.
        let alone = """
            for file in /proc/self/fd/*; do
                number=${file##*/}
                if [ "$number" -gt 2 ]; then eval "exec $number>&-"; fi
            done
            exec tmux "$@"
            """
        func tmux(_ arguments: String...) throws -> String {
            try BuiltCommand("/bin/bash", ["-c", alone, "tmux", "-L", socket] + arguments, in: folder).wait().output
        }
        func screen(has text: String) throws -> String {
            var shown = ""
            for _ in 0..<600 {
                shown = try tmux("capture-pane", "-p")
                if shown.contains(text) { return shown }
                Thread.sleep(forTimeInterval: 0.05)
            }
            Issue.record("the screen lacks '\(text)':\n\(shown)")
            return shown
        }
        _ = try tmux(
            "new-session", "-d", "-x", "80", "-y", "24",
            "'\(BuiltCommand.product("weir"))' watch '\(path)'; echo status $?; sleep 60")
        defer { do { _ = try tmux("kill-server") } catch {} }
        _ = try screen(has: "retain-cycle: ")
        _ = try tmux("send-keys", "/")
        _ = try tmux("send-keys", "instr")
        let filtered = try screen(has: "filter: instr")
        #expect(filtered.contains("LoginViewModel.instruction") && !filtered.contains("usernameDidChange"))
        _ = try tmux("send-keys", "Enter")
        _ = try tmux("send-keys", "Enter")
        _ = try screen(has: "made at")
        _ = try tmux("send-keys", "w")
        #expect(try screen(has: "Esc back").contains("LoginViewModel.instruction became"))
        _ = try tmux("resize-window", "-x", "60", "-y", "16")
        _ = try screen(has: "Esc back")
        _ = try tmux("send-keys", "w")
        _ = try screen(has: "made at")
        _ = try tmux("send-keys", "q")
        _ = try screen(has: "status 0")
    }
}
