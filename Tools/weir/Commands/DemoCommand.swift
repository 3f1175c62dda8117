import CWeir
import Dispatch
import WeirAnalysis
import WeirLogin
import WeirReport
import WeirTrace

/// `weir demo`: records two view models of one login screen, and shows what flowed through them.
enum DemoCommand: Subcommand {
    static let grammar = CommandGrammar(
        name: "demo", summary: "Record a login screen with two view models, and show what flowed.",
        arguments: [],
        options: [
            .init(
                name: "output", short: "o", placeholder: "DIR",
                help: "The directory for the traces (default: a new temporary directory)."),
            .init(
                name: "open", help: "Show both in the default browser, side by side: report.html, beside the traces."),
            CommandGrammar.color,
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let style = try console.style(arguments)
        guard canRecord else {
            throw Failure(
                code: .outputFailed, sentence: Wording.cannotRecord("weir was built without the trait Recording"))
        }
        // The demo chooses the paths of its traces itself.
        System.removeFromEnvironment("WEIR_TRACE")
        let directory = try directory(arguments)
        let published = "\(directory)/login-published.weir"
        let cured = "\(directory)/login-cured.weir"
        do {
            try onMainThread {
                try LoginDemo.recordPublished(to: published)
                try LoginDemo.recordCured(to: cured)
            }
        } catch {
            throw Failure(code: .outputFailed, sentence: Wording.cannotRecord("\(error)"))
        }
        let page = try DemoPage(style: style).text(
            published: DemoRecording(published, console), cured: DemoRecording(cured, console))
        try console.show(page)
        if arguments.has("open") { try ViewCommand.open([published, cured], "\(directory)/report.html", console) }
        return .clean
    }

    private static var canRecord: Bool {
        #if Recording
        return true
        #else
        return false
        #endif
    }

    /// Runs `body` on the main thread, which the screen requires; on other platforms the main thread has to serve its queue.
    private static func onMainThread(_ body: @MainActor () throws -> Void) throws {
        if weir_thread_is_main() { return try MainActor.assumeIsolated(body) }
        try DispatchQueue.main.sync { try MainActor.assumeIsolated(body) }
    }

    private static func directory(_ arguments: ParsedArguments) throws -> String {
        do {
            guard let given = arguments.value("output") else { return try System.temporaryDirectory() }
            try System.makeDirectory(given)
            return given.hasSuffix("/") && given.count > 1 ? String(given.dropLast()) : given
        } catch {
            throw Failure(code: .outputFailed, sentence: Wording.cannotMakeDirectory(error.path, error.code))
        }
    }
}

/// One trace of the demo, read back.
struct DemoRecording {
    let path: String
    let summary: TraceSummary
    let definitions: TraceDefinitions
    let cascades: [Cascade]
    /// The redundancy findings, worst first.
    let redundancy: RedundancyReport
    /// The leak findings, worst first.
    let leaks: LeakReport

    init(_ path: String, _ console: Console) throws {
        self.path = path
        let reader = try TraceReader(path: path)
        summary = try console.summary(of: reader, path)
        definitions = try reader.definitions()
        var cascades: [Cascade] = []
        var assembler = CascadeAssembler { cascades.append($0) }
        console.showingProgress(of: path) { report in
            reader.forEachEvent(reporting: report) { event in
                assembler.take(event)
                return true
            }
        }
        assembler.finish()
        self.cascades = cascades.filter { $0.stimulus?.kind == .stimulusBegan }
        let pass = RedundancyPass(reader, Topology(definitions))
        var report = RedundancyReport(
            pass, Findings(pass, definitions), definitions, timeScale: TimeScale(reader.header),
            options: RedundancyOptions()
        ) { Evidence(of: $0, in: reader) }
        report.limit = 4
        redundancy = report
        let lives = LeakPass(reader, Topology(definitions))
        let findings = LeakFindings(lives, reader, snapshot: reader.snapshot)
        leaks = LeakReport(lives, findings, snapshot: reader.snapshot)
    }
}
