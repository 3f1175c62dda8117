import Foundation
import Testing
import WeirReport
import WeirTestSupport
import WeirTrace

@testable import WeirAnalysis
@testable import WeirCommand

/// The interactive replay without a terminal: keys in, lines out.
@Suite(.timeLimit(.minutes(15)))
struct ReplayScreenTests {
    private let folder: BuiltCommand.Folder
    private let session: ReplaySession

    init() throws {
        folder = try BuiltCommand.Folder()
        let environment = ["WEIR_TRACE": folder("login.weir"), "WEIR_CLOCK": "virtual"]
        let ended = try BuiltCommand("weir-login", ["published"], in: folder, environment: environment).wait()
        try #require(ended.status == 0)
        let console = Console(
            output: Output(descriptor: -1), errors: { _ in }, environment: [:], isOutputTerminal: false,
            isErrorTerminal: false)
        let arguments = try ArgumentParser(ReplayCommand.grammar).parse([folder("login.weir")])
        session = try ReplaySession(ReplayRequest(arguments, console))
    }

    /// The lines after these keys; "⏎" is the enter key.
    private func lines(_ keys: String, columns: Int = 100, rows: Int = 24) -> [String] {
        var controls = ReplayControls()
        for key in keys { _ = controls.press(key == "⏎" ? .enter : .character(key), session) }
        return ReplayScreen(columns: columns, rows: rows, style: .plain).lines(session, controls)
    }

    private var position: UInt64 { session.timeline.position }

    @Test func `the screen shows where it is, what is open, what is watched, and the nodes`() {
        let shown = lines("bloginEnabled == true⏎wcount(username)⏎c")
        let wanted = """
            login.weir  event 92 of 200 (1:92) · 55 µs · stimulus 3 “type password”
            ━━━━━━━━━━━━━╋━━━━━━━━━━━━━╋━━━━━━━━╋━━━━━●────┼───┼─────────┼─────────┼──────────────────────  46 %
              1:79 stimulus “type password”
                1:80 LoginView.passwordDidChange emitted ‹private› → LoginViewModel.passwordDidChange
                  1:82 LoginViewModel.password emitted ‹private› → LoginViewModel.passwordValid
                    1:87 LoginViewModel.passwordValid emitted true → LoginViewModel.loginEnabled
            ▶         1:92 LoginViewModel.loginEnabled emitted true
              watch count(username)  2
              break loginEnabled == true  true

                 Node                              Value      Changed at µs  by event  Emissions  Handlers
            """
        let lines = wanted.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(Array(shown.prefix(lines.count)) == lines)
        #expect(shown.count == 24)
        #expect(shown.filter { $0.contains(" ●  ") }.count == 1)
        #expect(shown.contains { $0.hasPrefix("▸ ●  LoginViewModel.loginEnabled       true ") })
        #expect(
            shown.last
                == "break: loginEnabled == true: LoginViewModel.loginEnabled made it true; y shows why")
    }

    @Test func `of very many stimuli, a bar keeps some, over the whole trace`() {
        var stimuli = ThinnedPositions()
        let last: UInt64 = 1_000_000
        for position in 1...last { stimuli.append(position) }
        #expect((4096...ThinnedPositions.most).contains(stimuli.positions.count))
        #expect(zip(stimuli.positions, stimuli.positions.dropFirst()).allSatisfy { $1 - $0 <= 2 * last / 4096 })
        let bar = ReplayTrack(events: last, stimuli: stimuli.positions).bar(0, columns: 66, style: .plain)
        // The last column is the last event alone, which was too near to the one before.
        #expect(bar == "●" + String(repeating: "┼", count: 58) + "─   0 %")
        // Few are all kept.
        var few = ThinnedPositions()
        for position in [3, 4, 900_000_000] as [UInt64] { few.append(position) }
        #expect(few.positions == [3, 4, 900_000_000])
    }

    @Test func `a bar shows the moment among the stimuli`() {
        let track = ReplayTrack(events: 10, stimuli: [1, 6])
        #expect(track.bar(4, columns: 16, style: .plain) == "╋━━●─┼────  40 %")
        #expect(track.bar(0, columns: 16, style: .plain) == "●────┼────   0 %")
        #expect(track.bar(10, columns: 16, style: .plain) == "╋━━━━╋━━━● 100 %")
        #expect(ReplayTrack(events: 0, stimuli: []).bar(0, columns: 16, style: .plain).isEmpty)
        session.goToBeginning()
        var stimuli: [UInt64] = []
        session.timeline.forward { event in
            if event.kind == .stimulusBegan { stimuli.append(position) }
            return true
        }
        #expect(session.track.stimuli == stimuli && session.track.events == position && stimuli.count > 3)
    }

    @Test func `differences of a structure are told by field`() {
        func differences(_ before: String, _ after: String) -> [[String]]? {
            ValueFields.differences(.described(before), .described(after))?.map { [$0.name, $0.before, $0.after] }
        }
        #expect(differences("P(x: 1, y: 2)", "P(x: 1, y: 3)") == [["y", "2", "3"]])
        #expect(differences("P(x: 1)", "Q(x: 1)") == nil)
        #expect(differences("[1]", "[1, 2]") == [["1", "–", "2"]])
        #expect(differences("[\"a, b\": [1, 2]]", "[\"a, b\": [1, 3]]") == [["\"a, b\"", "[1, 2]", "[1, 3]"]])
        #expect(
            differences("U(name: \"a, (b\", age: 3)", "U(name: \"a\\\"\", age: 3)") == [
                ["name", "\"a, (b\"", "\"a\\\"\""]
            ])
        #expect(differences("P(x: 1)", "P(x: 1)")?.isEmpty == true)
        for text in ["42", "\"P(x: 1)\"", "P(x: 1", "P(x: 1))", "a b(c)", "P", ""] {
            #expect(ValueFields(text) == nil, "\(text)")
        }
        #expect(ValueFields("P()")?.parts.isEmpty == true)
        #expect(ValueFields(.hashedDescription("P(x: 1)", isCut: false, fingerprint: 7)) == ValueFields("P(x: 1)"))
        #expect(ValueFields(.hashedDescription("P(x: 1)", isCut: true, fingerprint: 7)) == nil)
    }

    @Test(arguments: [(1, 1), (20, 3), (40, 8), (200, 60)])
    func `it fits every terminal`(_ columns: Int, _ rows: Int) {
        for keys in ["", "c", "?", "x", "gend⏎", "g", "/password⏎", "a", "sny"] {
            let shown = lines(keys, columns: columns, rows: rows)
            #expect(shown.count == rows && shown.allSatisfy { TerminalText.width($0) <= columns })
        }
    }

    @Test func `steps forward and back pass the same moments`() {
        for step in [ReplaySession.Step.event, .turn, .stimulus, .change] {
            session.goToBeginning()
            // Before that, there is no node to select.
            if step == .change { session.jump("1:30") }
            var forward: [UInt64] = []
            var last = position
            repeat {
                last = position
                session.go(step, .forward)
                if position != last { forward.append(position) }
            } while position != last
            #expect(forward.count >= 2 && session.message?.hasPrefix("no further ") == true)
            var backward = [position]
            repeat {
                last = position
                session.go(step, .backward)
                if position != last { backward.append(position) }
            } while position != last
            #expect(backward == forward.reversed() + (step == .event ? [0] : []))
        }
    }

    @Test func `breakpoints are found forward and back`() {
        _ = lines("bchanged(loginEnabled)⏎")
        var found: [UInt64] = []
        for _ in 0..<4 {
            session.run(.forward)
            found.append(position)
        }
        #expect(found == [45, 92, 123, 178])
        session.run(.forward)
        #expect(position == 178 && session.message == "no further break")
        session.run(.backward)
        session.run(.backward)
        #expect(position == 92 && session.event?.id == EventID(thread: 1, sequence: 92))
        session.run(.backward)
        session.run(.backward)
        #expect(position == 45 && session.message == "no earlier break")
        _ = lines("b⏎")
        session.run(.forward)
        #expect(session.message == "no breakpoint is set; b sets one")
    }

    @Test func `jumps go to times, events and stimuli, or say why not`() {
        for (text, wanted) in [("1:92", 92), ("end", 200), ("55us", 92), ("4", 109), ("tap", 109)] as [(String, UInt64)]
        {
            session.jump(text)
            #expect(position == wanted && session.event?.id.sequence == wanted, "\(text): \(position)")
        }
        for (text, message) in [
            ("3s", "3s is behind the end, which is at 126 µs"), ("7:1", "there is no event 7:1"),
            ("zap", "there is no stimulus 'zap'"),
        ] {
            session.jump(text)
            #expect(position == 109 && session.message == message)
        }
    }

    @Test func `a search finds what is said of events, and repeats both ways`() {
        #expect(lines("/TAP login⏎").last?.hasPrefix("→ ←") == true)
        #expect(position == 102)
        _ = lines("0/reached⏎>>")
        let third = position
        _ = lines("<")
        #expect(position < third && position > 0)
        #expect(lines("/nothing like this⏎").last == "no further event with “nothing like this”")
    }

    @Test func `a long way that is interrupted leads nowhere`() {
        session.jump("1:50")
        session.timeline.shallGoOn = { _ in false }
        session.go(.stimulus, .forward)
        #expect(session.message == "interrupted")
        session.jump("end")
        session.timeline.shallGoOn = nil
        #expect(session.message == "interrupted" && position == 50 && session.event?.id.sequence == 50)
    }

    @Test func `nodes are filtered and selected, and expressions refused in words`() {
        let shown = lines("fpassword⏎j")
        #expect(shown.contains { $0.hasPrefix("▸    LoginViewModel.passwordValid ") })
        #expect(!shown.contains { $0.contains("username ") })
        // A name without a match changes nothing, and the current filter stays visible.
        let same = lines("fzap⏎")
        #expect(same.last == "no node is named so" && same.dropFirst().dropLast() == shown.dropFirst().dropLast())
        #expect(same[0].contains("only “password”") && !lines("f⏎")[0].contains("only"))
        #expect(lines("ba =⏎").last == "'=' at character 3 must be doubled")
        #expect(lines("wlogni == 1⏎").last?.contains("is named 'logni'") == true)
        #expect(lines("wab\u{1B}").last == "watch (nothing: clear): ab\\u{1B}▏")
    }

    @Test func `it opens where there is something to see`() {
        session.open()
        #expect(position == 30 && session.event?.kind == .stimulusBegan)
        #expect(lines("").contains { $0.contains("LoginViewModel.username ") })
    }

    @Test func `an empty table says why, and all nodes can be shown`() {
        #expect(lines("").contains { $0.hasSuffix("nodes, none heard of so far: → goes on, a shows them") })
        let all = lines("a", rows: 40)
        #expect(all[0].contains("all nodes") && all.contains { $0.contains("LoginViewModel.username ") })
        #expect(all.filter { $0.contains(" not yet heard of") }.count == session.state.nodes.count)
        #expect(lines("$", rows: 40).contains { $0.contains("released, was ()") })
        #expect(!lines("a", rows: 40).contains { $0.contains("released") })
    }

    @Test func `y shows why the selected node has its value, and scrolls`() throws {
        session.jump("1:92")
        _ = lines("floginEnabled⏎")
        var controls = ReplayControls()
        controls.pageRows = 5
        func page(_ key: TerminalKey) -> [String] {
            _ = controls.press(key, session)
            return ReplayScreen(columns: 200, rows: 6, style: .plain).lines(session, controls)
        }
        let first = page(.character("y"))
        #expect(first[0].hasPrefix("LoginViewModel.loginEnabled became true at 1:92"))
        #expect(first[5].contains("scroll"))
        #expect(position == 92 && session.event?.id.sequence == 92)
        #expect(page(.down)[0] == first[1] && page(.down)[0] == first[2])
        #expect(page(.up)[0] == first[1])
        for _ in 0..<50 { _ = page(.pageDown) }
        let end = page(.down)
        #expect(try #require(session.why()).suffix(5) == end.prefix(5) && end != first)
        // Scrolling beyond the end costs no extra keys on the way back.
        #expect(page(.up) != end)
        #expect(page(.character("x"))[0].contains("login.weir"))
        session.jump("1:30")
        #expect(lines("y").last == "LoginViewModel.loginEnabled has not changed")
    }

    @Test func `the help scrolls where it does not fit, and names every key`() {
        var controls = ReplayControls()
        controls.pageRows = 8
        func page(_ key: TerminalKey) -> [String] {
            _ = controls.press(key, session)
            return ReplayScreen(columns: 80, rows: 9, style: .plain).lines(session, controls)
        }
        #expect(page(.character("?"))[0] == "Keys")
        for _ in 0..<9 { _ = page(.pageDown) }
        #expect(page(.down)[7].hasPrefix("  To go back, "))
        #expect(ReplayControls.help.contains { $0.1.contains("@607") })
    }

    @Test func `hidden rows are counted, columns do not jump, and the selected node stays selected`() throws {
        session.jump("1:92")
        let nodes = session.places.count
        let top = lines("", rows: 14)
        // The heading of the table, at most seven rows, and the number of hidden ones.
        let below = try #require(top.first { $0.hasPrefix("  ↓ ") })
        #expect(!top.contains { $0.contains("more above") })
        let hidden = try #require(Int(below.split(separator: " ")[1]))
        #expect(hidden > 0 && hidden < nodes)
        let heading = top.first { $0.contains("Changed at") }
        let bottom = lines(String(repeating: "j", count: nodes), rows: 14)
        #expect(bottom.first { $0.contains("Changed at") } == heading)
        #expect(bottom.contains("  ↑ \(hidden) more above") && !bottom.contains { $0.contains("more below") })
        let selected = session.selectedNode
        session.jump("1:60")
        session.jump("1:92")
        #expect(session.selectedNode == selected)
    }

    @Test func `a narrow screen drops whole columns, and cuts the rest with a sign`() {
        session.jump("1:92")
        let wide = lines("", columns: 130).first { $0.contains("Changed at") }
        #expect(wide?.hasSuffix("Emissions  Handlers  Feeds") == true)
        let narrow = lines("", columns: 80)
        #expect(narrow.first { $0.contains("Changed at") }?.hasSuffix("by event") == true)
        #expect(narrow.allSatisfy { TerminalText.width($0) <= 80 })
        #expect(narrow.contains { $0.hasSuffix("…") && TerminalText.width($0) == 80 })
        #expect(ScreenText.cut("\u{1B}[1mabcd\u{1B}[0m", to: 3) == "\u{1B}[1mab…\u{1B}[0m")
        #expect(ScreenText.cut("\u{1B}[1mabc\u{1B}[0m", to: 3) == "\u{1B}[1mabc\u{1B}[0m")
        #expect(ScreenText.cut("abc", to: 3) == "abc" && ScreenText.cut("abcd", to: 1) == "…")
    }

    @Test func `a position is a place to go to, as the screen shows it`() {
        #expect(lines("g@92⏎")[0].hasPrefix("login.weir  event 92 of 200 (1:92)"))
        #expect(lines("$g@92⏎")[0].hasPrefix("login.weir  event 92 of 200 (1:92)"))
        #expect(lines("g@201⏎").last == "there is no event @201; the last is @200" && position == 92)
        #expect(lines("g@0⏎")[0].hasPrefix("login.weir  beginning, 0 of 200"))
        #expect(lines("g@18446744073709551615⏎").last?.hasPrefix("there is no event @") == true && position == 0)
    }

    @Test func `an expression that is unknown says why`() {
        #expect(
            lines("bLoginViewModel.loginTouched⏎").contains(
                "  break LoginViewModel.loginTouched  unknown: LoginViewModel.loginTouched has no value yet"))
    }

    @Test(arguments: [
        ([0x1B, 0x5B, 0x43], TerminalKey.right), ([0x1B, 0x4F, 0x44], .left), ([0x1B, 0x5B, 0x35, 0x7E], .pageUp),
        ([0x1B, 0x5B, 0x31, 0x3B, 0x32, 0x43], .right), ([0x1B, 0x5B, 0x48], .home), ([0x1B], .escape),
        ([0x1B, 0x5B, 0x5A], .unknown), ([0x0D], .enter), ([0x7F], .backspace), ([0x03], .control("c")),
        ([0x71], .character("q")), ([0xC3, 0xA9], .character("é")), ([0xF0, 0x9F, 0x98, 0x80], .character("😀")),
        ([0xFF], .unknown), ([0xE2, 0x28], .unknown),
    ])
    func `bytes are keys`(_ bytes: [UInt8], _ key: TerminalKey) {
        var rest = bytes
        #expect(TerminalKey.take(from: &rest, isComplete: true) == key)
    }

    @Test func `a key that is not whole is waited for, and nothing makes the keys hang`() {
        for bytes in [[0x1B], [0x1B, 0x5B], [0x1B, 0x5B, 0x35], [0xF0, 0x9F]] as [[UInt8]] {
            var rest = bytes
            #expect(TerminalKey.take(from: &rest, isComplete: false) == nil && rest == bytes)
        }
        var random = SeededGenerator(seed: 4)
        for _ in 0..<2000 {
            var rest = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                [0x1B, 0x5B, 0x4F, 0x41, 0x7E, 0xC3, 0xA9, 0xFF, 0x31].randomElement(using: &random)! as UInt8
            }
            while !rest.isEmpty {
                let before = rest.count
                #expect(TerminalKey.take(from: &rest, isComplete: true) != nil && rest.count < before)
            }
        }
    }
}
