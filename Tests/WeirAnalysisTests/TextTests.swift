import Testing
import WeirReport

struct TextTests {
    @Test(arguments: [
        (0, "0"), (7, "7"), (999, "999"), (1000, "1,000"), (1_204_311, "1,204,311"), (-12345, "-12,345"),
    ])
    func `counts have commas`(_ number: Int, _ text: String) {
        #expect(Figures.count(number) == text)
    }

    @Test func `one is singular`() {
        #expect(Figures.count(1, "event") == "1 event")
        #expect(Figures.count(0, "event") == "0 events")
        #expect(Figures.count(2, "refresh", "refreshes") == "2 refreshes")
    }

    @Test(arguments: [
        (0, "0 bytes"), (1023, "1,023 bytes"), (1024, "1 KiB"), (4_299_161, "4.1 MiB"),
        (268_435_456, "256 MiB"),
        (UInt64.max, "16 EiB"),
    ])
    func `sizes have the unit that suits them`(_ bytes: UInt64, _ text: String) {
        #expect(Figures.bytes(bytes) == text)
    }

    @Test(arguments: [
        (0, "0"), (870, "870 ns"), (12_340, "12.3 µs"), (999_949, "999.9 µs"), (999_951, "1 ms"),
        (1_500_000_000, "1.5 s"), (59_960_000_000, "0 min 59 s"), (200_000_000_000, "3 min 20 s"),
        (7_260_000_000_000, "2 h 1 min"),
    ])
    func `durations have the unit that suits them`(_ nanoseconds: UInt64, _ text: String) {
        #expect(Figures.duration(nanoseconds: nanoseconds) == text)
    }

    // Taken from `date -u -d @SECONDS`.
    @Test(arguments: [
        (0, "1970-01-01 00:00:00 UTC"), (951_782_400_000_000_000, "2000-02-29 00:00:00 UTC"),
        (1_795_224_307_123_456_789, "2026-11-21 01:25:07 UTC"), (-1, "1969-12-31 23:59:59 UTC"),
        (Int64.min, "1677-09-21 00:12:43 UTC"), (Int64.max, "2262-04-11 23:47:16 UTC"),
    ])
    func `moments are dates in universal time`(_ nanoseconds: Int64, _ text: String) {
        #expect(Figures.moment(wallClockNanoseconds: nanoseconds) == text)
    }

    @Test func `a moment for programs has all nine digits`() {
        #expect(Figures.isoMoment(wallClockNanoseconds: 1_000_000_042) == "1970-01-01T00:00:01.000000042Z")
    }

    @Test func `a word of a command line is quoted where a shell would not take it as it is`() {
        let words = ["x.weir", "a b", "it's", "", "$HOME", "日本.weir", "\u{1B}[2J"]
        #expect(
            words.map(TerminalText.argument)
                == ["x.weir", "'a b'", #"'it'\''s'"#, "''", "'$HOME'", "日本.weir", #"'\u{1B}[2J'"#])
    }

    @Test(arguments: [
        ("plain ü 日本", "plain ü 日本"), ("a\u{1B}[31mb", #"a\u{1B}[31mb"#), ("a\nb\tc\rd", #"a\nb\tc\rd"#),
        ("\u{9B}31m", #"\u{9B}31m"#), ("a\u{202E}b", #"a\u{202E}b"#), ("\u{2028}", #"\u{2028}"#),
        ("\u{7F}\0", #"\u{7F}\u{0}"#), ("e\u{301}", "e\u{301}"), ("\r\n", #"\r\n"#),
    ])
    func `what could steer a terminal is escaped`(_ text: String, _ escaped: String) {
        #expect(TerminalText.escaped(text) == escaped)
    }

    @Test func `text is cut by columns, wide characters counting twice`() {
        #expect(TerminalText.width("a日b") == 4)
        #expect(TerminalText.cut("abcdef", to: 6) == "abcdef")
        #expect(TerminalText.cut("abcdef", to: 5) == "abcd…")
        #expect(TerminalText.cut("日本語", to: 5) == "日本…")
        #expect(TerminalText.cut("日本語", to: 6) == "日本語")
    }

    @Test func `a table aligns its columns and ends lines without spaces`() {
        var table = TextTable([.left("Node"), .right("Emissions"), .left("Suppressed"), .left("Site")])
        table.add(["username", "12", "3 equal", "Login.swift:4"])
        table.add(["日本", "1,204"])
        #expect(
            table.lines(indent: "  ") == [
                "  Node      Emissions  Suppressed  Site",
                "  username         12  3 equal     Login.swift:4",
                "  日本          1,204",
            ])
    }

    @Test func `colours surround text only where they are wanted`() {
        #expect(Style.plain(.warning, "lost") == "lost")
        #expect(Style(isColored: true)(.warning, "lost") == "\u{1B}[33mlost\u{1B}[0m")
        #expect(Style(isColored: true)(.warning, "") == "")
    }
}
