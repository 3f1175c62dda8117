import WeirAnalysis
import WeirReport
import WeirTrace

/// A trace that is being written: its events so far, and the facts about its program.
final class WatchedTrace {
    /// Definitions are read again after so long, because names may come late.
    private static let definitionsAge: UInt64 = 2_000_000_000

    let path: String
    private var reader: TraceReader
    private(set) var definitions: TraceDefinitions
    private(set) var state: WatchState
    let timeScale: TimeScale
    private let findings: WatchedFindings
    private var definitionsRead: UInt64
    /// When the last event came, and whether any came since.
    private var lastNews = System.nanoseconds()
    private(set) var hasEnded = false

    /// Opens a trace.
    init(_ path: String) throws(TraceError) {
        self.path = path
        reader = try TraceReader(path: path)
        definitions = try reader.definitions()
        definitionsRead = System.nanoseconds()
        timeScale = TimeScale(reader.header)
        // A short recording that is over fills the width, too.
        state = WatchState(timeScale, interval: Self.interval(of: reader))
        findings = WatchedFindings(path)
        state.update(definitions)
    }

    /// Opens the trace of a program that has just been started; nil: its header is not there yet.
    convenience init?(started path: String) {
        do { try self.init(path) } catch { return nil }
    }

    private static func interval(of reader: TraceReader) -> UInt64 {
        guard reader.header.isClosed else { return 1_000_000_000 }
        var last: UInt64 = 0
        reader.forEachRecordRun { run in
            var cursor = run.cursor
            repeat { last = max(last, cursor.ticks) } while run.advance(&cursor)
            return true
        }
        let lasted = TimeScale(reader.header).nanosecondsSinceStart(last)
        return max(1000, min(1_000_000_000, lasted / UInt64(WatchState.history - 2)))
    }

    /// Takes the events that came since the last call; `mayFinish`: also the last ones of a program that is gone.
    func read(mayFinish: Bool = false) throws(TraceError) {
        guard !hasEnded else { return }
        reader.refresh()
        let now = System.nanoseconds()
        if now &- definitionsRead > Self.definitionsAge { try takeDefinitions(now) }
        let before = state.events
        // Read again at most once in a round: a damaged trace may never define an id.
        var mayRead = true
        do {
            try reader.forEachNewEvent { event in
                if mayRead, state.lacksDefinition(of: event) {
                    mayRead = false
                    // It may be in a chunk that was unused when this round began: only a new reader sees it.
                    definitions = try TraceReader(path: path).definitions()
                    state.update(definitions)
                }
                state.take(event)
                return true
            }
        } catch let error as TraceError { throw error } catch {}
        if state.events != before {
            lastNews = now
            if mayRead == false { definitionsRead = now }
        }
        hasEnded = reader.header.isClosed || isAbandoned(now)
        if hasEnded { try takeDefinitions(now) }
        findings.judge(now, isOver: hasEnded)
    }

    private func takeDefinitions(_ now: UInt64) throws(TraceError) {
        definitions = try reader.definitions()
        state.update(definitions)
        definitionsRead = now
    }

    /// Whether the program was killed. Its id may be from another machine, so it must also be silent.
    private func isAbandoned(_ now: UInt64) -> Bool {
        Self.isAbandoned(reader, silence: now &- lastNews)
    }

    /// Whether the program of a trace was killed, given the nanoseconds without a new event.
    static func isAbandoned(_ reader: TraceReader, silence: UInt64) -> Bool {
        silence > 2_000_000_000 && isGone(reader)
    }

    /// Whether no program with the id of the trace's is running on this machine.
    private static func isGone(_ reader: TraceReader) -> Bool {
        reader.header.processID != 0 && !System.isRunning(reader.header.processID)
    }

    /// Judges the trace, and waits for the result.
    func judgeNow() { findings.judgeNow() }

    /// The screen.
    func page(_ view: WatchPage.View, _ style: Style, state shown: WatchState? = nil) -> WatchPage {
        let shown = shown ?? state
        var ticks = shown.lastTicks
        // Time goes on while the program is silent.
        if !hasEnded, !view.isPaused, !Self.isGone(reader) {
            let silence = System.nanoseconds() &- lastNews
            ticks &+= UInt64(Double(silence) * Double(timeScale.ticksPerSecond) / 1e9)
        }
        return WatchPage(shown, definitions, timeScale: timeScale, at: ticks, view, facts, style: style)
    }

    private var programState: String {
        if reader.header.isClosed { return "has ended" }
        if hasEnded { return "is gone" }
        return Self.isGone(reader) ? "is not running here" : "is running"
    }

    private var facts: WatchPage.Facts {
        var facts = WatchPage.Facts()
        facts.name = path.split(separator: "/").last.map(String.init) ?? path
        let process = reader.header.processID == 0 ? "the program" : "process \(reader.header.processID)"
        facts.program = "\(process) \(programState)"
        facts.isOver = hasEnded
        if let lost = reader.header.lostEvents, lost > 0 { facts.losses.append("\(Figures.count(lost)) lost") }
        if reader.overwrittenEvents > 0 {
            facts.losses.append("\(Figures.count(reader.overwrittenEvents)) overwritten")
        }
        if reader.damageCount > 0 { facts.losses.append("\(Figures.count(reader.damageCount, "damaged place"))") }
        let (sentences, age) = findings.latest(System.nanoseconds())
        facts.findings = sentences
        facts.findingsAge = age.map {
            $0 < 1_000_000_000 ? "now" : "\(Figures.duration(nanoseconds: $0 / 1_000_000_000 * 1_000_000_000)) ago"
        }
        if hasEnded, age != nil { facts.findingsAge = "of the whole trace" }
        return facts
    }
}
