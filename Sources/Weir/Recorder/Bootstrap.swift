#if Recording
import CWeirCore
import WeirRecording

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Starts the recording that the environment requests, when the first node is made or `Trace` is first used.
///
/// Until then `weir_recording()` is not 0, so the first operation leaves its fast path and makes its node, or calls this.
///
/// `WEIR_TRACE`: the path; `WEIR_VALUES`, `WEIR_LIMIT`, `WEIR_SNAPSHOTS`: as `TraceEnvironment` reads them; `WEIR_ONLY`:
/// the modules, separated by commas; `WEIR_LABELS`: the labels, as in `build=412,device=iPhone15,2`; `WEIR_SIGNPOSTS=on`:
/// with signposts; `WEIR_WRITE_SITES=on`: with the lines that write; `WEIR_CLOCK=virtual`: under a virtual clock.
enum Bootstrap {
    static func run() { _ = once }

    private static let once: Void = {
        weir_gate_prepare()
        ForkHandlers.install()
        defer { weir_recording_asked() }
        guard let path = weir_environment("WEIR_TRACE"), path.pointee != 0 else { return }
        do throws(EnvironmentError) {
            try start(TraceEnvironment(path: SystemText.text(path), home: variable("HOME")))
        } catch {
            // The program must continue, but its user must learn that there is no trace.
            Complaint.say("\(error); nothing is recorded")
        }
    }()

    private static func start(_ environment: TraceEnvironment) throws(EnvironmentError) {
        let values = try TraceEnvironment.values(variable("WEIR_VALUES"))
        let limit = try TraceEnvironment.limit(variable("WEIR_LIMIT"))
        let snapshots = try TraceEnvironment.snapshots(variable("WEIR_SNAPSHOTS"))
        let modules = try TraceEnvironment.modules(variable("WEIR_ONLY"))
        let labels = try TraceEnvironment.labels(variable("WEIR_LABELS"))
        let signposts =
            try TraceEnvironment.isOn("WEIR_SIGNPOSTS", variable("WEIR_SIGNPOSTS")) ? SystemSignposts.sink() : nil
        let writeSites = try TraceEnvironment.isOn("WEIR_WRITE_SITES", variable("WEIR_WRITE_SITES"))
        let clock = try TraceEnvironment.clock(variable("WEIR_CLOCK"))
        let path = environment.path(processID: getpid())
        do {
            try Trace.begin(
                path: path, values: values, limit: limit, clock: clock, snapshots: snapshots, modules: modules,
                labels: labels, signposts: signposts, writeSites: writeSites)
        } catch .inUse {
            // Another process inherited the same variable: each writes a file of its own.
            let own = environment.ownPath(processID: getpid())
            do {
                try Trace.begin(
                    path: own, values: values, limit: limit, clock: clock, snapshots: snapshots, modules: modules,
                    labels: labels, signposts: signposts, writeSites: writeSites)
            } catch {
                throw EnvironmentError("WEIR_TRACE: \(error)")
            }
        } catch {
            throw EnvironmentError("WEIR_TRACE: \(error)")
        }
    }

    private static func variable(_ name: String) -> String? {
        weir_environment(name).map { SystemText.text($0) }
    }
}

struct EnvironmentError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// An error for a variable with an invalid value.
    init(_ variable: String, _ value: String, _ expected: String) {
        description = "\(variable) is '\(PrintableText.brief(value))'; it must be \(expected)"
    }
}

/// The values of the variables WEIR_TRACE, WEIR_VALUES, WEIR_LIMIT, WEIR_SNAPSHOTS, WEIR_ONLY, WEIR_LABELS,
/// WEIR_SIGNPOSTS and WEIR_WRITE_SITES.
struct TraceEnvironment {
    /// As given; `%p` is replaced by the process id, and a leading `~/` by the home folder.
    let path: String
    /// The home folder of the process: in an app of iOS, its container.
    var home: String?

    func path(processID: Int32) -> String {
        var result = ""
        var rest = Substring(path)
        if let home, !home.isEmpty, rest.hasPrefix("~/") {
            result = home
            rest = rest.dropFirst()
        }
        while let percent = rest.firstIndex(of: "%") {
            let next = rest.index(after: percent)
            let isID = next < rest.endIndex && rest[next] == "p"
            result += rest[..<percent] + (isID ? "\(processID)" : "%")
            rest = rest[(isID ? rest.index(after: next) : next)...]
        }
        return result + rest
    }

    /// A path for a process whose given path is already in use.
    func ownPath(processID: Int32) -> String {
        let suffix = ".weir"
        let path = self.path(processID: processID)
        guard path.hasSuffix(suffix) else { return "\(path)-\(processID)" }
        return "\(path.dropLast(suffix.count))-\(processID)\(suffix)"
    }

    static func values(_ text: String?) throws(EnvironmentError) -> TraceValues {
        switch text {
        case nil, "", "scalars": return .scalars
        case "none": return .none
        case "described": return .described()
        case .some(let text):
            let parts = text.split(separator: ":")
            if parts.count == 2, parts[0] == "described", let limit = Int(parts[1]), limit >= 0 {
                return .described(limit: limit)
            }
            throw EnvironmentError("WEIR_VALUES", text, "none, scalars, described or described:BYTES")
        }
    }

    static func snapshots(_ text: String?) throws(EnvironmentError) -> TraceSnapshots {
        switch text {
        case nil, "", "standard": .standard
        case "none": .none
        case .some(let text): throw EnvironmentError("WEIR_SNAPSHOTS", text, "standard or none")
        }
    }

    /// The chosen modules; nil: all.
    static func modules(_ text: String?) throws(EnvironmentError) -> ModuleChoice? {
        guard let text, !text.isEmpty else { return nil }
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map { name in
            String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        guard let choice = ModuleChoice(names) else {
            throw EnvironmentError("WEIR_ONLY", text, "names of modules, separated by commas, such as App,LoginFeature")
        }
        return choice
    }

    /// The labels; none by default.
    static func labels(_ text: String?) throws(EnvironmentError) -> [String: String] {
        guard let text, !text.isEmpty else { return [:] }
        guard let labels = TraceLabels.labels(inList: text) else {
            throw EnvironmentError(
                "WEIR_LABELS", text, "a list of names and values, such as build=412,device=iPhone15,2")
        }
        if let fault = TraceLabels.fault(of: labels) { throw EnvironmentError("WEIR_LABELS: \(fault)") }
        return labels
    }

    /// The virtual clock; nil: the system's.
    static func clock(_ text: String?) throws(EnvironmentError) -> VirtualClock? {
        switch text {
        case nil, "": nil
        case "virtual": VirtualClock()
        case .some(let text): throw EnvironmentError("WEIR_CLOCK", text, "virtual, or not set")
        }
    }

    static func isOn(_ name: String, _ text: String?) throws(EnvironmentError) -> Bool {
        switch text {
        case nil, "", "off": false
        case "on": true
        case .some(let text): throw EnvironmentError(name, text, "on or off")
        }
    }

    static func limit(_ text: String?) throws(EnvironmentError) -> TraceLimit {
        guard let text, !text.isEmpty else { return .standard }
        if text == "none" { return .none }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let scales = ["": 1, "K": 1 << 10, "KiB": 1 << 10, "M": 1 << 20, "MiB": 1 << 20, "G": 1 << 30, "GiB": 1 << 30]
        if let number = Int(digits), number > 0, let scale = scales[String(text.dropFirst(digits.count))] {
            let (bytes, overflows) = number.multipliedReportingOverflow(by: scale)
            if !overflows { return .bytes(bytes) }
        }
        throw EnvironmentError("WEIR_LIMIT", text, "a number of bytes, such as 64MiB, or none")
    }
}
#endif
