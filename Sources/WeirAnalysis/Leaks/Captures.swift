import WeirTrace

/// The closures of the program that capture objects strongly, and the tasks that presumably hold them, by object.
///
/// A finding draws the path through one of them; the others hold the object as well.
struct OtherCaptures {
    fileprivate private(set) var sites: [UInt32: Set<TraceSite>] = [:]
    /// The contexts and boxes through which closures capture each object.
    private var contexts: [UInt32: Set<UInt32>] = [:]
    /// For each object, a closure that captures it and that an object of Foundation runs or calls, such as a thread.
    private var callers: [UInt32: (reference: SnapshotReference, kind: String)] = [:]
    /// The subscriptions whose handlers capture any of the objects.
    private(set) var subscriptions: Set<UInt32> = []
    private let snapshot: TraceSnapshot

    /// Between an object and the reference that identifies a closure are at most the context and the box of a variable.
    private static let mostSteps = 3

    /// The findings, with the other closures and tasks that hold their objects.
    static func noted(in findings: [LeakFinding], _ snapshots: [UInt32?: TraceSnapshot]) -> [LeakFinding] {
        var noted = findings
        for (number, snapshot) in snapshots {
            let places = findings.indices.filter { findings[$0].snapshot == number && findings[$0].object != nil }
            if places.isEmpty { continue }
            let captures = OtherCaptures(of: places.compactMap { findings[$0].object }, in: snapshot)
            for finding in places {
                guard let place = noted[finding].object else { continue }
                noted[finding].nameCaller(captures.callers[UInt32(place)], of: snapshot.objects[place])
                noted[finding].otherCaptures = captures.sites(of: place).filter { $0 != noted[finding].remedy.site }
                noted[finding].otherTasks = captures.tasks(of: place)
                noted[finding].nameOnlyCapture(captures.sites[UInt32(place)] ?? [], of: snapshot.objects[place])
            }
        }
        return noted
    }

    /// Looks for the closures that capture some objects; linear in the number of references.
    init(of objects: some Sequence<Int>, in snapshot: TraceSnapshot) {
        self.snapshot = snapshot
        // The objects, contexts and boxes whose references this round looks for, each with the objects that it leads to.
        var captured: [UInt32: Set<UInt32>] = [:]
        for place in objects where snapshot.object(place) != nil { captured[UInt32(place)] = [UInt32(place)] }
        for _ in 0..<Self.mostSteps where !captured.isEmpty {
            var next: [UInt32: Set<UInt32>] = [:]
            for reference in snapshot.references where reference.ownership == .strong {
                guard let held = captured[reference.target], let source = snapshot.object(reference.source) else {
                    continue
                }
                if reference.isClosure {
                    guard !reference.isHiddenClosure, let site = reference.site else { continue }
                    for object in held { sites[object, default: []].insert(site) }
                    if let id = source.subscription { subscriptions.insert(id) }
                    if let kind = source.caller {
                        for object in held where callers[object] == nil { callers[object] = (reference, kind) }
                    }
                } else if source.kind == .closure || source.kind == .box {
                    next[reference.source, default: []].formUnion(held)
                    for object in held { contexts[object, default: []].insert(reference.source) }
                }
            }
            captured = next
        }
    }

    /// The lines of the closures that capture an object, in order; without those on the path to it, and of the tasks that hold it.
    func sites(of place: Int) -> [TraceSite] {
        var drawn = Set(snapshot.way(to: place).filter(\.isClosure).compactMap(\.site))
        var all = sites[UInt32(place)] ?? []
        if case .closure(let site) = head(of: place)?.outsideHolder { drawn.insert(site) }
        for holder in holders(of: place) {
            switch holder {
            case .closure(let site): all.insert(site)
            case .task(let works): drawn.formUnion(works.flatMap { [$0.site, $0.madeAt] }.compactMap(\.self))
            case .variable, .taskResult: break
            }
        }
        return all.subtracting(drawn).sorted { ($0.file, $0.line) < ($1.file, $1.line) }
    }

    /// The other tasks that presumably hold an object; each is followed by those that it waits for.
    func tasks(of place: Int) -> [[TaskWork]] {
        var seen: Set<OutsideHolder> = []
        if let drawn = head(of: place)?.outsideHolder { seen.insert(drawn) }
        var tasks: [[TaskWork]] = []
        for holder in holders(of: place) where seen.insert(holder).inserted {
            if case .task(let works) = holder, !works.isEmpty { tasks.append(works) }
        }
        return tasks
    }

    private func head(of place: Int) -> SnapshotObject? {
        snapshot.way(to: place).first.flatMap { snapshot.object($0.source) } ?? snapshot.object(place)
    }

    /// What presumably holds an object, the beginning of its path or a closure that captures it from outside.
    private func holders(of place: Int) -> [OutsideHolder] {
        let contexts = (contexts[UInt32(place)] ?? []).sorted().compactMap { snapshot.object($0) }
        return ([head(of: place)].compactMap(\.self) + contexts).flatMap { object in
            [object.outsideHolder].compactMap(\.self) + object.otherHolders
        }
    }
}

extension LeakFinding {
    /// If a task holds the object, and one other closure captures it, such as that of a sequence's `map`, names that closure, too.
    fileprivate mutating func nameOnlyCapture(_ captures: Set<TraceSite>, of object: SnapshotObject) {
        guard remedy.kind == .cancelTask, remedy.weakly.isEmpty, !remedy.isCapture, !remedy.isAwaited,
            captures.count == 1, let site = captures.first, otherCaptures == [site]
        else { return }
        var capture = LeakRemedy(.captureWeakly, site: site)
        capture.subject = object.type
        remedy.weakly = [capture]
        otherCaptures = []
    }

    /// If the holder is unknown, names the thread or operation that runs a closure which captures the object: a method that it runs holds
    /// the object, too.
    fileprivate mutating func nameCaller(
        _ caller: (reference: SnapshotReference, kind: String)?, of object: SnapshotObject
    ) {
        guard let (reference, kind) = caller, remedy.kind == .letGo, remedy.holder == nil, remedy.subject == nil else {
            return
        }
        if let expectation, expectation.late > 0, expectation.late == expectation.objects {
            remedy = LeakRemedy(.awaitWork)
            return
        }
        remedy = LeakRemedy(.stopCaller, site: reference.site)
        (remedy.function, remedy.subject, remedy.property) = (reference.function, object.type, kind)
    }
}

/// A closure of the program that captures an object strongly.
package struct StrongCapture: Sendable, Equatable {
    /// The index of the reference that leads to the captured object.
    package let place: Int
    /// The line of the closure; nil if unknown.
    package let site: TraceSite?
    /// The closure's name; nil if unknown.
    package let function: String?
    /// The kind of that function.
    package let functionKind: FunctionKind
    /// Whether the closure is the autoclosure of an argument, which has no capture list.
    package var isOfAutoclosure: Bool { functionKind == .autoclosure }
    /// Whether closures inside it may run concurrently and capture something.
    package let hasConcurrentClosures: Bool
    /// The line of the subscription that holds the closure; nil if none does.
    package let subscriptionSite: TraceSite?
    /// The type of the captured object.
    package let type: String
    /// Whether it captures 'self': the object in whose type it is written, and through whose property the cycle continues.
    package let isSelf: Bool

    /// The captures along references, in order; a closure may be a reference itself, or an object between two.
    package static func all(
        _ references: [SnapshotReference], in snapshot: TraceSnapshot, isCycle: Bool
    ) -> [StrongCapture] {
        references.indices.compactMap { place in
            let reference = references[place]
            var closure = reference
            if snapshot.objects[Int(reference.source)].kind == .closure, !reference.isClosure {
                // The reference that leads to the context identifies the closure; a cycle may begin in between.
                guard place > 0 || isCycle else { return nil }
                closure = references[(place + references.count - 1) % references.count]
            }
            guard closure.isClosure, !closure.isHiddenClosure else { return nil }
            if snapshot.objects[Int(reference.target)].kind == .closure { return nil }
            // A captured variable has a box of its own.
            var captured = place
            let next = (place + 1) % references.count
            if snapshot.objects[Int(reference.target)].kind == .box, isCycle || next > 0 { captured = next }
            let after = references[(captured + 1) % references.count]
            let type = snapshot.objects[Int(references[captured].target)].type
            return StrongCapture(
                place: captured, site: closure.site, function: closure.function,
                functionKind: closure.functionKind,
                hasConcurrentClosures: closure.hasConcurrentClosures,
                subscriptionSite: snapshot.objects[Int(closure.source)].isSubscription
                    ? snapshot.objects[Int(closure.source)].site : nil, type: type,
                isSelf: isCycle && after.label.hasPrefix(".") && standsIn(type, function: closure.function))
        }
    }

    /// Whether a closure with this name is written in this type: "closure #1 in LoginModel.init()" in "LoginModel".
    package static func standsIn(_ type: String, function: String?) -> Bool {
        let bare = type.prefix { $0 != "<" }
        guard !bare.isEmpty, let function else { return false }
        // The last part of "closure #1 in closure #2 in LoginModel.init()" is the function that contains the closures.
        let home = function.split(separator: " in ").last ?? ""
        let path = home.prefix { $0 != "(" }.split(separator: ".")
        return path.dropLast().contains { $0.prefix { $0 != "<" } == bare }
    }
}
