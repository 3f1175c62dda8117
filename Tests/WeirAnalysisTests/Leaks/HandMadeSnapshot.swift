@testable import WeirAnalysis
@testable import WeirTrace

/// Builds a snapshot by hand: objects, then the references along cycles and paths.
struct HandMadeSnapshot {
    private(set) var snapshot = TraceSnapshot()

    /// Adds an object and returns its index.
    mutating func add(
        _ type: String, kind: SnapshotObject.Kind = .instance, _ identity: SnapshotObject.Identity = .none,
        label: String? = nil, at site: TraceSite? = nil, outside: UInt32 = 0, by holder: OutsideHolder? = nil,
        keeps: UInt64 = 0,
        change: (inout SnapshotObject) -> Void = { _ in }
    ) -> Int {
        var object = SnapshotObject(kind: kind, type: type)
        (object.identity, object.label, object.site) = (identity, label, site)
        (object.outsideReferences, object.outsideHolder, object.retainedSize) = (outside, holder, keeps)
        change(&object)
        snapshot.objects.append(object)
        return snapshot.objects.count - 1
    }

    /// Adds a reference and returns its index; with a function or a site it is a closure's.
    @discardableResult
    mutating func refer(
        _ source: Int, _ label: String, to target: Int, function: String? = nil, at site: TraceSite? = nil,
        isClosure: Bool? = nil
    ) -> Int {
        var reference = SnapshotReference(source: UInt32(source), target: UInt32(target), label: label)
        (reference.function, reference.site) = (function, site)
        reference.functionKind = function.map { FunctionKind(ofFunction: $0) } ?? .unknown
        reference.isClosure = isClosure ?? (function != nil || site != nil)
        reference.isInternal = site?.file.hasPrefix("Weir/") == true
        snapshot.references.append(reference)
        return snapshot.references.count - 1
    }

    /// Makes the path from outside to the reference's target use this reference.
    mutating func hold(along reference: Int) {
        snapshot.objects[Int(snapshot.references[reference].target)].holder = UInt32(reference)
    }

    /// Adds a cycle of these references.
    mutating func cycle(_ references: [Int], isProven: Bool = true, bytes: UInt64 = 176, keeps: UInt64 = 0) {
        let objects = Set(references.map { snapshot.references[$0].source })
        var cycle = SnapshotCycle(
            references: references.map { UInt32($0) }, isProven: isProven, componentObjects: UInt64(objects.count),
            componentBytes: bytes)
        cycle.retainedSize = keeps
        snapshot.cycles.append(cycle)
        for object in objects where isProven { snapshot.objects[Int(object)].isGarbage = true }
    }

    mutating func limitation(_ reason: SnapshotLimitation.Reason, _ subject: String) {
        snapshot.limitations.append(SnapshotLimitation(reason, subject))
    }
}

extension TraceSite {
    static func login(_ line: Int) -> TraceSite { TraceSite(file: "Login/LoginViewModel.swift", line: line) }
    static func screen(_ line: Int) -> TraceSite { TraceSite(file: "App/Screen.swift", line: line) }
}

extension HandMadeSnapshot {
    /// The published login model's third cycle: the handler of loginTouched captures self.
    static var login: HandMadeSnapshot {
        var made = HandMadeSnapshot()
        let model = made.add("LoginViewModel", .object(1), at: .login(18))
        let touched = made.add("Observer<Void>", .node(7), label: "LoginViewModel.loginTouched", at: .login(30))
        made.cycle([
            made.refer(model, ".loginTouched", to: touched),
            made.refer(
                touched, ".handler", to: model, function: "closure #3 in LoginViewModel.init()", at: .login(64)),
        ])
        return made
    }

    /// A live session keeps screens alive: each by a subscription whose handler captures it.
    static func screens(_ count: Int, isHeldByHandlers: Bool = true, from first: UInt32 = 1) -> HandMadeSnapshot {
        var made = HandMadeSnapshot()
        let session = made.add("Session", outside: 1, by: .variable("static Session.shared"))
        let subject = made.add("Emitter<Int>", .node(1), label: "Session.refreshed", at: .screen(9))
        made.hold(along: made.refer(session, ".refreshed", to: subject))
        for number in 0..<count {
            let id = first + UInt32(number)
            let sink = made.add("TerminalSink<Int>", .subscription(id), at: .screen(40)) { $0.isInternal = true }
            made.hold(along: made.refer(subject, ".subscriptions[\(number)]", to: sink))
            let context = made.add("closure(Screen, Int)", kind: .closure)
            made.hold(
                along: made.refer(
                    sink, ".handler", to: context, function: "closure #1 in Screen.init(session:)", at: .screen(40)))
            let screen = made.add("Screen", .object(id), label: "screen \(number)", keeps: 2048) {
                $0.isHeldByHandlersOnly = isHeldByHandlers
            }
            made.hold(along: made.refer(context, "captures #1", to: screen))
        }
        return made
    }
}
