import Testing
import WeirCrafted
import WeirTrace

@testable import WeirCommand

/// How much of a long trace the keys of the interactive replay read.
@Suite(.timeLimit(.minutes(15)))
struct ReplayReadingTests {
    private let folder: BuiltCommand.Folder
    private let session: ReplaySession
    private let controls = Controls()

    private final class Controls { var value = ReplayControls() }

    init() throws {
        folder = try BuiltCommand.Folder()
        let crafted = try #require(CraftedTrace.all.first { $0.name == "one stimulus, many turns" })
        let path = try folder.write("long.weir", crafted.bytes(records: 75_000))
        let console = Console(
            output: Output(descriptor: -1), errors: { _ in }, environment: [:], isOutputTerminal: false,
            isErrorTerminal: false)
        let arguments = try ArgumentParser(ReplayCommand.grammar).parse([path])
        session = try ReplaySession(ReplayRequest(arguments, console))
        session.open()
    }

    private var chunks: Int { session.request.reader.eventChunkCount }

    /// How many chunks are read for these keys and the screen after them; "⏎" is the enter key.
    private func reads(_ keys: String) -> Int {
        let before = session.request.reader.chunksRead
        for key in keys { _ = controls.value.press(key == "⏎" ? .enter : .character(key), session) }
        _ = ReplayScreen(columns: 100, rows: 24, style: .plain).lines(session, controls.value)
        return session.request.reader.chunksRead - before
    }

    @Test func `keys read a few chunks around the moment, wherever it is`() {
        #expect(chunks >= 6)
        // The first way to the end reads all chunks, and the one in which a checkpoint lies a second time.
        let first = reads("$")
        #expect(first >= chunks && first <= chunks + Int(session.timeline.position / 4096) + 8)
        let moments = ["0", "$", "g@30000⏎", "g@62000⏎", "g@3⏎"]
        let keys = ["h", "l", "T", "t", "S", "s", "N", "n", "k", "j", "y", "q", "a", "a", "?", "q", "0", "$", "h"]
        for moment in moments {
            #expect(reads(moment) <= 4, "\(moment)")
            for key in keys { #expect(reads(key) <= 8, "\(key) after \(moment)") }
        }
    }

    @Test func `a search that finds nothing reads to the end once`() {
        _ = reads("g@3⏎/no such word⏎")
        #expect(session.message == "no further event with “no such word”")
        #expect(reads(">") <= 1)
        #expect(session.message == "no further event with “no such word”")
        // From an earlier event it might find something.
        _ = reads("h")
        #expect(reads(">") >= chunks)
        _ = reads("$<")
        #expect(session.message == "no earlier event with “no such word”")
        #expect(reads("h<") <= 8)
        // Another search starts anew.
        #expect(reads("/tap⏎0>") >= 1)
        #expect(session.message == nil)
    }
}
