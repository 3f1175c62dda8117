import WeirAnalysis
import WeirTrace

/// A line of a drawing: a reference, or a closure's capture; the texts are escaped.
struct LeakStep: Equatable {
    var text: String
    /// The line that made the target, or the line of the closure.
    var site: String?
    var isCapture = false
}

/// Turns references into the lines of a drawing; Weir's own objects, storage and captured variables are folded.
struct LeakSteps {
    let snapshot: TraceSnapshot
    let definitions: TraceDefinitions?

    /// The lines along a cycle or a path; `includesEnd` includes the target of the last reference.
    func steps(_ references: [SnapshotReference], isCycle: Bool, includesEnd: Bool = false) -> [LeakStep] {
        let captures = Dictionary(
            StrongCapture.all(references, in: snapshot, isCycle: isCycle).map { ($0.place, $0) },
            uniquingKeysWith: { first, _ in first })
        var (steps, label) = ([LeakStep](), FoldedLabel())
        var lastClosure: SnapshotReference?
        for (place, reference) in references.enumerated() {
            let target = snapshot.objects[Int(reference.target)]
            let isLast = place == references.count - 1
            label.add(reference.label, of: snapshot.objects[Int(reference.source)])
            let isClosure = reference.isClosure && !reference.isHiddenClosure
            let isThunk = lastClosure.map(reference.isThunk) ?? false
            if isClosure { lastClosure = reference }
            if isThunk {
                label = FoldedLabel()
            } else if isClosure {
                steps.append(LeakStep(text: "↓ \(label.text)\(closure(reference))", site: reference.site.map(escaped)))
                label = FoldedLabel()
            }
            if let capture = captures[place] {
                let what = capture.isSelf ? "self" : Self.name(target)
                steps.append(LeakStep(text: "~ captures \(what) strongly", site: nil, isCapture: true))
                label = FoldedLabel()
            } else if target.kind == .closure, isClosure {
                continue
            } else if isFolded(target), !isLast {
                if target.isHidden || target.kind == .closure { label.skip() }
            } else if isLast, !includesEnd {
                if !label.path.isEmpty { steps.append(LeakStep(text: "↓ \(label.path)")) }
            } else {
                let reported = description(target, after: label.text)
                steps.append(LeakStep(text: "↓ \(label.text)\(reported)", site: target.site.map(escaped)))
                label = FoldedLabel()
            }
        }
        return steps
    }

    /// The first line of a path or cycle.
    func head(_ object: SnapshotObject) -> LeakStep {
        LeakStep(text: description(object, after: ""), site: object.site.map(escaped))
    }

    /// The type of an object, cut and escaped.
    static func name(_ object: SnapshotObject) -> String {
        switch object.kind {
        case .closure: return "closure"
        case .box: return "captured variable"
        default: return object.type.isEmpty ? "object" : escapedAndCut(SourceType.written(object.type), 60)
        }
    }

    static func escapedAndCut(_ text: String, _ columns: Int) -> String {
        TerminalText.cut(TerminalText.escaped(text), to: columns)
    }

    private func isFolded(_ object: SnapshotObject) -> Bool {
        object.isHidden || object.kind == .storage || object.kind == .box || object.kind == .closure
    }

    private func closure(_ reference: SnapshotReference) -> String {
        if reference.functionKind == .autoclosure { return Self.autoclosure(reference.function) }
        guard reference.site == nil, let function = reference.function else { return "closure" }
        return Self.escapedAndCut(function, 70)
    }

    /// "Observable<String> “Session.token”"; the name is omitted if the label of the reference ends with it.
    private func description(_ object: SnapshotObject, after label: String) -> String {
        if let id = object.subscription {
            guard let known = definitions?.subscriptions[id], let definitions else { return "subscription" }
            return "subscription to " + Self.escapedAndCut(definitions.name(ofNode: known.source), 60)
        }
        let name = Self.name(object)
        guard let path = object.label, path != object.type else { return name }
        let last = path.split(separator: ".").last.map(String.init) ?? path
        if label.hasSuffix(".\(Self.escapedAndCut(last, 60)): ") { return name }
        return "\(name) “\(Self.escapedAndCut(path, 60))”"
    }

    /// "autoclosure in Model.init()"; its line is that of the function.
    static func autoclosure(_ function: String?) -> String {
        // A symbol names the outermost function last.
        let home = function?.split(separator: " in ", maxSplits: 1).dropFirst().last
        return home.map { escapedAndCut("autoclosure in \($0)", 70) } ?? "autoclosure"
    }

    private func escaped(_ site: TraceSite) -> String { Self.escapedAndCut(site.description, 100) }
}

/// The combined label of references drawn as one: ".rows" and "[3].value" become ".rows[3].value".
///
/// Weir's own objects between nodes, closures and subscriptions become "…".
private struct FoldedLabel {
    private var parts = ""
    /// The source of the first reference.
    private var first: SnapshotObject?
    private var isSkipping = false

    mutating func add(_ label: String, of source: SnapshotObject) {
        if first == nil { first = source }
        if !isSkipping { parts += label }
    }

    /// Notes that an object without a line of its own was skipped.
    mutating func skip() { isSkipping = true }

    /// The whole label; empty if there is none.
    var path: String {
        let reported = LeakSteps.escapedAndCut(parts, 60)
        guard isSkipping else { return reported }
        guard let first, first.isInternal else { return reported.isEmpty ? "…" : "\(reported) …" }
        // A combiner keeps its function in an object of its own.
        return parts == ".evaluation" && first.role == .combiner ? "its function" : "…"
    }

    /// The path followed by a colon.
    var text: String { path.isEmpty ? "" : path + ": " }
}
