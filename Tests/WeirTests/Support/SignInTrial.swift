import Weir
import WeirAnalysis
import WeirTrace

/// What the sample's sign-in form shows, and what a trace of its use tells, whichever way it is written.
struct SignInTrial {
    private(set) var shown: [String] = []
    /// What should be cured: rule and node, or, of a circle, rule and each type on it.
    private(set) var findings: Set<String> = []
    /// From the stimulus to the last emission of the button: names of nodes, one after the other.
    private(set) var causes: [String] = []
    private(set) var isPasswordRecorded = false

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
        findings = Set(
            redundant.filter { $0.severity > .note }.map { "\($0.rule.rawValue) \(definitions.name(ofNode: $0.node))" })
        let leaks = LeakFindings(LeakPass(reader, topology), reader, snapshot: reader.snapshot).found
        for leak in leaks where leak.severity > .note {
            guard case .circle(let place) = leak.example, let snapshot = leak.snapshot.flatMap(reader.snapshot) else {
                continue
            }
            let types = snapshot.references(of: snapshot.circles[place]).map { snapshot.objects[Int($0.source)].type }
            findings.formUnion(types.map { "\(leak.rule.rawValue) \($0)" })
        }
        let recording = try Recording(reading: file.path)
        causes = Self.causes(of: "SignInForm.button", in: recording)
        isPasswordRecorded = recording.events.contains { "\($0.value)".contains("secre") }
    }

    private static func causes(of node: String, in recording: Recording) -> [String] {
        let events = Dictionary(recording.events.map { ($0.id, $0) }) { first, _ in first }
        var event = recording.events.last { $0.kind == .emitted && recording.name($0.subject) == node }
        var names: [String] = []
        while let current = event, names.count < 20 {
            switch current.kind {
            case .emitted where names.last != recording.name(current.subject):
                names.append(recording.name(current.subject))
            case .stimulusBegan: names.append(current.text)
            default: break
            }
            event = current.cause.flatMap { events[$0] }
        }
        return names.reversed()
    }
}
