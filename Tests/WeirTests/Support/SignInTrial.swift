import Weir
import WeirAnalysis
import WeirReport
import WeirTrace

/// What the sample's sign-in form shows, and what a trace of its use tells, whichever way it is written.
struct SignInTrial {
    private(set) var shown: [String] = []
    /// What should be cured: rule and node, or, of a circle, rule and each type on it.
    private(set) var findings: Set<String> = []
    /// From the stimulus to the last emission of the button: names of nodes, one after the other.
    private(set) var causes: [String] = []
    private(set) var isPasswordRecorded = false
    /// What would cure the findings of redundancy, in the words of the report.
    private(set) var remedies: [String] = []

    /// What is planted in a form of this type.
    static func planted(in type: String) -> Set<String> {
        ["repeated-value SignInForm.button", "feedback SignInForm.username", "retain-cycle \(type)"]
    }
    /// What each form shows in the end; what it shows before that differs in how often.
    static let end = ["Fill in both", "Sign in", "Welcome, maruko"]
    static let causes = ["type password", "SignInForm.password", "SignInForm.button"]

    @MainActor
    init(_ use: @MainActor (@escaping (String) -> Void) async -> Void) async throws {
        let file = try TemporaryTrace()
        try Trace.start(writingTo: file.path, clock: VirtualClock())
        let screen = Locked<[String]>([])
        await use { text in screen.change { $0.append(text) } }
        Trace.stop()
        shown = screen.value
        let reader = try TraceReader(path: file.path)
        let topology = Topology(try reader.definitions())
        let definitions = topology.definitions
        let redundant = Findings(RedundancyPass(reader, topology), definitions).found
        let report = RedundancyReport(
            RedundancyPass(reader, topology), Findings(RedundancyPass(reader, topology), definitions), definitions,
            timeScale: TimeScale(reader.header), options: RedundancyOptions(),
            evidence: { Evidence(of: $0, in: reader) })
        remedies = report.text().split(separator: "\n").filter { $0.contains("Remedy:") }.map(String.init)
        findings = Set(
            redundant.filter { $0.severity > .note || $0.rule == .burst }.map {
                "\($0.rule.rawValue) \(definitions.name(ofNode: $0.node))"
            })
        let leaks = LeakFindings(LeakPass(reader, topology), reader, snapshot: reader.snapshot).found
        for leak in leaks where leak.severity > .note {
            guard case .circle(let place) = leak.example, let snapshot = leak.snapshot.flatMap(reader.snapshot) else {
                continue
            }
            let types = snapshot.references(of: snapshot.circles[place]).map { snapshot.objects[Int($0.source)].type }
            findings.formUnion(types.map { "\(leak.rule.rawValue) \($0)" })
        }
        let recording = try Recording(reading: file.path)
        causes = recording.causes(ofLastEmission: "SignInForm.button").reversed().reduce(into: []) { names, name in
            if name != "hop", names.last != name { names.append(name) }
        }
        isPasswordRecorded = recording.events.contains { "\($0.value)".contains("secre") }
    }
}
