import Weir
import WeirAnalysis
import WeirReport
import WeirTrace

/// The output of the sample's sign-in form, and the contents of its trace, however the form is written.
struct SignInTrial {
    private(set) var shown: [String] = []
    /// The findings to fix: rule and node or, for a cycle, rule and each type on it.
    private(set) var findings: Set<String> = []
    /// From the stimulus to the last emission of the button: names of nodes, in order.
    private(set) var causes: [String] = []
    private(set) var isPasswordRecorded = false
    /// The remedies of the redundancy findings, as the report words them.
    private(set) var remedies: [String] = []

    /// The findings that are planted in a form of this type.
    static func planted(in type: String) -> Set<String> {
        ["repeated-value SignInForm.button", "feedback SignInForm.username", "retain-cycle \(type)"]
    }
    /// The final output of each form; earlier outputs differ in number.
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
            redundant.filter { $0.severity > .note || [.burst, .repeatedValue].contains($0.rule) }.map {
                "\($0.rule.rawValue) \(definitions.name(ofNode: $0.node))"
            })
        let leaks = LeakFindings(LeakPass(reader, topology), reader, snapshot: reader.snapshot).found
        for leak in leaks where leak.severity > .note {
            guard case .cycle(let place) = leak.example, let snapshot = leak.snapshot.flatMap(reader.snapshot) else {
                continue
            }
            let types = snapshot.references(of: snapshot.cycles[place]).map { snapshot.objects[Int($0.source)].type }
            findings.formUnion(types.map { "\(leak.rule.rawValue) \($0)" })
        }
        let recording = try Recording(reading: file.path)
        causes = recording.causes(ofLastEmission: "SignInForm.button").reversed().reduce(into: []) { names, name in
            if name != "hop", names.last != name { names.append(name) }
        }
        isPasswordRecorded = recording.events.contains { "\($0.value)".contains("secre") }
    }
}
