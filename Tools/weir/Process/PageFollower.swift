import WeirReport
import WeirTrace

/// Renews a page while its trace grows: at most once a second, and for at most a tenth of the time.
final class PageFollower {
    private static let pause: UInt32 = 100
    private static let least: UInt64 = 1_000_000_000

    private var reader: TraceReader
    private let path: String
    private let file: OutputFile
    private var lastNews = System.nanoseconds()
    /// When the page may be written again, and whether there is anything new for it.
    private var next: UInt64 = 0
    private var isOld = false
    private var cost: UInt64 = 0

    init(_ reader: TraceReader, _ path: String, _ file: OutputFile) {
        (self.reader, self.path, self.file) = (reader, path, file)
        // From the first page on: a live page that nobody renews must not stay.
        EndingSignal.install()
    }

    /// Renews the page until the recording has ended, or a signal asks the command to end; the last page is an ordinary one.
    func run(_ console: Console) throws {
        defer { EndingSignal.uninstall() }
        var ending = ReportPage.Following.stopped
        while EndingSignal.received == 0 {
            let now = System.nanoseconds()
            reader.refresh()
            var isNew = false
            reader.forEachNewEvent { _ in
                isNew = true
                return true
            }
            if isNew { (lastNews, isOld) = (now, true) }
            if reader.header.isClosed {
                ending = .closed
                break
            }
            if WatchedTrace.isAbandoned(reader, silence: now &- lastNews) {
                ending = .killed
                break
            }
            if isOld, now >= next { try write(ending: nil, console) }
            System.sleep(milliseconds: Self.pause)
        }
        try write(ending: ending, console)
    }

    /// Writes the page of all events so far; without an ending it is live, and loads itself again.
    func write(ending: ReportPage.Following?, _ console: Console) throws {
        let start = System.nanoseconds()
        // A new reader sees all definitions. Only the last page is worth a progress bar.
        let trace = try PageTrace(TraceReader(path: path), path: path)
        let seconds = max(2, Int(10 * cost / 1_000_000_000))
        let page = ReportPage(
            [trace], title: ViewCommand.title(of: [path]), following: ending ?? .live(seconds: seconds))
        try ViewCommand.write(page, to: file.replacingAtOnce)
        cost = System.nanoseconds() &- start
        next = System.nanoseconds() &+ max(Self.least, 10 * cost)
        isOld = false
    }
}
