import WeirTrace

/// A change that removes a leak.
package struct LeakRemedy: Sendable, Hashable {
    /// The change.
    package enum Kind: String, Sendable {
        /// A closure captures `subject` weakly: `[weak self]`.
        case captureWeakly
        /// A closure that calls itself through a variable that it captures becomes a function, or the variable is set to nil.
        case endRecursion
        /// The task that holds `subject` is cancelled, and holds it weakly while it waits.
        case cancelTask
        /// The program resumes the continuation that `function` waits for.
        case resumeContinuation
        /// What calls a closure is stopped, such as a dispatch source or the `property` "Timer", "Operation" or "Thread", and the closure
        /// captures `subject` weakly.
        case stopCaller
        /// The program waits for the work of an object that was gone only later, before the checkpoint that it missed.
        case awaitWork
        /// An autoclosure captures `subject`; the value that it needs is taken before the call.
        case takeValueFirst
        /// A `URLSession` keeps its delegate until it is invalidated.
        case invalidateSession
        /// A property holds its object weakly: `weak var delegate`.
        case holdWeakly
        /// `subject` removes an object of type `held` from a property that is a collection, or holds it weakly in there.
        case removeFromCollection
        /// A property of `subject` that is part of a cycle is cleared in time, or holds its object weakly inside its value: a
        /// collection, an enumeration, `Any`. Without a property, one of the cycle's references is.
        case breakCycle
        /// Combine's `assign(to:on:)` is replaced: it holds `subject`, the object that it writes to.
        case replaceAssign
        /// A subscription is disposed, or put into a bag that is released in time.
        case dispose
        /// The holder releases it.
        case letGo
        /// The code that makes more each time first ends the previous ones.
        case endEarlier
    }

    /// The change.
    package private(set) var kind: Kind
    /// The line to change: the closure's, else the subscription's; nil if unknown.
    package var site: TraceSite?
    /// The closure to change, if its line is unknown.
    package var function: String?
    /// The line of the subscription that holds that closure; nil if none does.
    package var subscriptionSite: TraceSite?
    /// The kind of that function.
    package var functionKind = FunctionKind.unknown
    /// The type that is captured or held.
    ///
    /// For `dispose` it is the type that the handler captures; with `property` it is the type that has the property.
    package var subject: String?
    /// What holds the object, if the program releases it there: a variable, or something unknown.
    package var holder: OutsideHolder?
    /// The property that holds the object: "delegate", ".rows[…]".
    package var property: String?
    /// The type of the object that the property leads to; known for properties of a cycle.
    package var held: String?
    /// Other changes, one of which may cure instead: for a cycle, at the references that may lead back to an owner.
    package var alternatives: [LeakRemedy] = []
    /// Another closure, or a property, that must hold the object weakly in place of the closure at `site`.
    package var weakly: [LeakRemedy] = []
    /// Whether the closure captures the object in whose type it is written.
    package var isSelf = false
    /// Whether closures inside the one that captures weakly may run concurrently: each needs a capture list of its own.
    package var hasConcurrentClosures = false
    /// Whether the closure of the task that is cancelled captures `subject`; otherwise the task runs a method of it.
    package var isCapture = false
    /// Whether the task, or its `child`, loops over the elements of a sequence.
    package var isLoop = false
    /// Whether another task holds `subject`, which waits for the one to be cancelled.
    package var isAwaited = false
    /// The line at which that other task was made; nil if unknown.
    package var waiting: TraceSite?
    /// The child task that keeps the task from ending; nil: there is none. It is cancelled with the task.
    package var child: TaskWork?
    /// Whether that is the task of an `async let`.
    package var isAsyncLet = false
    /// The node over whose `values` it loops, if it is a property of `subject`.
    package var sequence: UInt32?

    /// Whether it changes one closure of the program.
    var isOfClosure: Bool {
        guard site != nil || function != nil else { return false }
        switch kind {
        case .captureWeakly, .endRecursion, .cancelTask, .resumeContinuation, .stopCaller, .takeValueFirst: return true
        default: return false
        }
    }

    init(_ kind: Kind, site: TraceSite? = nil) {
        self.kind = kind
        self.site = site
    }
}

extension LeakRemedy {
    /// The remedy for an instance.
    init(for instance: LeakInstance, _ snapshot: TraceSnapshot, _ definitions: TraceDefinitions?) {
        /// A snapshot without a trace knows the line of a subscription, but not its id.
        func unidentified() -> LeakRemedy? {
            guard case .object(let place) = instance.example else { return nil }
            let way = snapshot.way(to: place).map { snapshot.objects[Int($0.source)] } + [snapshot.objects[place]]
            return way.last { $0.isSubscription && $0.site.map { !$0.file.hasPrefix("Weir/") } ?? false }.map {
                LeakRemedy(.dispose, site: $0.site)
            }
        }
        func subscription() -> LeakRemedy? {
            guard let id = instance.subscription else { return unidentified() }
            let known = definitions?.subscriptions[id]
            let site = known?.site ?? snapshot.objects.lazy.first { $0.subscription == id }?.site
            return LeakRemedy(.dispose, site: site)
        }
        switch instance.example {
        case .cycle(let place):
            let references = snapshot.references(of: snapshot.cycles[place])
            if instance.isDisposable, let dispose = subscription() {
                self = dispose
                return
            }
            self =
                Self.assignment(references, in: snapshot) ?? Self.session(references, in: snapshot)
                ?? Self.task(references, in: snapshot)
                ?? Self.closure(references, in: snapshot, isCycle: true)
                ?? Self.backReference(references, expected: instance.expected, or: subscription(), in: snapshot)
        case .object(let place):
            let way = snapshot.way(to: place)
            let object = snapshot.objects[place]
            let handler = way.lastIndex { snapshot.objects[Int($0.source)].isSubscription } ?? 0
            // The subscription of an operator or a combiner ends with what is behind it: nobody disposes it.
            let isInternal = instance.subscription.flatMap { definitions?.subscriptions[$0]?.isInternal } == true
            if isInternal, let capture = Self.closure(Array(way[handler...]), in: snapshot, isCycle: false) {
                self = capture
            } else if let dispose = subscription() {
                self = dispose
                let path = Array(way[handler...])
                if let capture = StrongCapture.all(path, in: snapshot, isCycle: false).first {
                    subject = capture.type
                    let outer = path.first(where: \.isOwnClosure)
                    weakly = Self.weakening(
                        capture, besides: (outer?.site, outer?.function), on: path, in: snapshot)
                }
            } else if let cure = Self.session(way, in: snapshot) ?? Self.work(
                way, to: object, in: snapshot, definitions)
                ?? Self.task(way, in: snapshot) ?? Self.closure(way, in: snapshot, isCycle: false)
            {
                self = cure
            } else {
                self = LeakRemedy(.letGo)
                if let last = way.last(where: { Self.isPlain($0, in: snapshot) }) {
                    subject = snapshot.objects[Int(last.source)].type
                    property = ReferenceLabel.withoutIndexes(last.label)
                } else {
                    holder = (way.first.map { snapshot.objects[Int($0.source)] } ?? object).outsideHolder
                }
            }
            if instance.isLate, isOfWork(in: snapshot, at: place) { self = LeakRemedy(.awaitWork) }
        case .tracked: self = LeakRemedy(.letGo)
        case .orphan, .openSubscription: self = subscription() ?? LeakRemedy(.dispose)
        case .growth(let growth):
            switch growth.line {
            case .nodes(_, let site), .subscriptions(let site): self = LeakRemedy(.endEarlier, site: site)
            case .objects(let type, let label):
                self = LeakRemedy(.endEarlier)
                subject = label ?? type
            }
        }
    }

    /// Whether the remedy for an object that was gone later would end the work that was still to be done.
    private func isOfWork(in snapshot: TraceSnapshot, at place: Int) -> Bool {
        switch kind {
        case .captureWeakly, .takeValueFirst: return !Self.isInProperty(snapshot.way(to: place), in: snapshot)
        case .cancelTask, .resumeContinuation, .stopCaller: return true
        case .letGo:
            let head = snapshot.way(to: place).first.map { snapshot.objects[Int($0.source)] } ?? snapshot.objects[place]
            return property == nil && head.isHolderGuessed
        default: return false
        }
    }

    /// Whether a property of an object of the program, or a collection in it, holds the first closure of the program on a path: no work
    /// holds it, which would be over at some time.
    private static func isInProperty(_ way: [SnapshotReference], in snapshot: TraceSnapshot) -> Bool {
        way.firstIndex(where: \.isOwnClosure).flatMap { property(holding: $0, of: way, in: snapshot) } != nil
    }

    /// The property of an object of the program that holds the closure at an index of a path, directly or in a collection: its type and
    /// its label, such as ".undos[…]"; nil: something else holds the closure.
    private static func property(
        holding closure: Int, of way: [SnapshotReference], in snapshot: TraceSnapshot
    ) -> (owner: String, label: String)? {
        guard let references = holder(of: closure, on: way, in: snapshot) else { return nil }
        let holder = snapshot.objects[Int(way[references.lowerBound].source)]
        if holder.isInternal || holder.isOfSystem { return nil }
        return (holder.type, ReferenceLabel.withoutIndexes(way[references].map(\.label).joined()))
    }

    /// The references from a property of an object to the closure at an index of a path that it holds, directly or in a collection.
    private static func holder(
        of closure: Int, on way: [SnapshotReference], in snapshot: TraceSnapshot
    ) -> ClosedRange<Int>? {
        var closure = closure
        // A thunk of the compiler captures the closure that it calls.
        while closure > 0, way[closure].isThunk(of: way[closure - 1]) { closure -= 1 }
        var place = closure
        while place > 0, snapshot.objects[Int(way[place].source)].kind == .storage { place -= 1 }
        let isProperty = snapshot.objects[Int(way[place].source)].kind == .instance && way[place].label.hasPrefix(".")
        return isProperty ? place...closure : nil
    }

    /// Adds the removal of the closure that captures from the collection that holds it, if one does: if the closure is wanted, it may
    /// need what it captures.
    private mutating func offerRemoval(
        of capture: StrongCapture, on way: [SnapshotReference], in snapshot: TraceSnapshot
    ) {
        guard kind == .captureWeakly,
            let closure = way[...capture.place].lastIndex(where: \.isOwnClosure),
            let (owner, label) = Self.property(holding: closure, of: way, in: snapshot),
            let index = label.firstIndex(of: "[")
        else { return }
        var removal = LeakRemedy(.removeFromCollection)
        removal.subject = owner
        removal.property = String(label[..<index].dropFirst())
        alternatives = [removal]
    }

    /// A remedy for the program's closure on these references that captures an object strongly.
    private static func closure(
        _ references: [SnapshotReference], in snapshot: TraceSnapshot, isCycle: Bool
    ) -> LeakRemedy? {
        let all = StrongCapture.all(references, in: snapshot, isCycle: isCycle).filter { capture in
            // The libraries' closures, which have no line, capture their own objects.
            capture.site != nil || !snapshot.objects[Int(references[capture.place].target)].isOfLibrary
        }
        let captures = all.filter { !$0.isOfAutoclosure }
        // The outer of two nested closures holds the object that the inner one captures weakly.
        guard let capture = isCycle ? captures.first : captures.last else {
            // An autoclosure has no capture list; a closure in one has.
            guard let capture = isCycle ? all.first : all.last else { return nil }
            var remedy = LeakRemedy(.takeValueFirst, site: capture.site)
            (remedy.function, remedy.subject, remedy.isSelf) = (capture.function, capture.type, capture.isSelf)
            return remedy
        }
        let captured = snapshot.objects[Int(references[capture.place].target)]
        var remedy = LeakRemedy(.captureWeakly, site: capture.site)
        // Only objects of classes can be held weakly.
        if captured.kind == .closure { remedy = LeakRemedy(.endRecursion, site: capture.site) }
        remedy.take(capture)
        guard !isCycle, captured.kind != .closure else { return remedy }
        if let proxy = Proxy(capture, on: references, in: snapshot) {
            if proxy.leadsBack { return proxy.remedy }
            remedy.alternatives = [proxy.remedy]
            return remedy
        }
        remedy.offerRemoval(of: capture, on: references, in: snapshot)
        return remedy
    }

    private mutating func take(_ capture: StrongCapture) {
        (function, functionKind) = (capture.function, capture.functionKind)
        (subject, isSelf) = (capture.type, capture.isSelf)
        hasConcurrentClosures = capture.hasConcurrentClosures
        subscriptionSite = site == nil ? capture.subscriptionSite : nil
    }

    /// How a path no longer holds its object once something ends the closure that `outer` leads into; empty: that closure captures weakly.
    private static func weakening(
        _ capture: StrongCapture, besides outer: (site: TraceSite?, function: String?), on way: [SnapshotReference],
        in snapshot: TraceSnapshot
    ) -> [LeakRemedy] {
        if let proxy = Proxy(capture, on: way, in: snapshot) { return [proxy.remedy] }
        // A closure inside another one, which a function of the program passed on.
        guard capture.functionKind != .unknown,
            capture.site.map({ $0 != outer.site }) ?? (capture.function != outer.function)
        else { return [] }
        var remedy = LeakRemedy(.captureWeakly, site: capture.site)
        remedy.take(capture)
        return [remedy]
    }

    /// A remedy for what a task holds: a function that the task awaits keeps it, however the task's closure captures it.
    private static func task(_ references: [SnapshotReference], in snapshot: TraceSnapshot) -> LeakRemedy? {
        let isTask = { (place: UInt32) in snapshot.objects[Int(place)].kind == .task }
        guard let first = references.firstIndex(where: { isTask($0.source) || isTask($0.target) }) else { return nil }
        let closure = references[first...].first { $0.isOwnClosure }
        var remedy = LeakRemedy(.cancelTask, site: closure?.site)
        remedy.function = closure?.function
        return remedy
    }

    /// A remedy if a task, a timer or something like it runs or calls the closure on a path: that is stopped, and the object held weakly.
    ///
    /// A weak capture alone would let the object go, but not the work. Cancelling a task does not resume a continuation.
    private static func work(
        _ way: [SnapshotReference], to object: SnapshotObject, in snapshot: TraceSnapshot,
        _ definitions: TraceDefinitions?
    ) -> LeakRemedy? {
        let head = way.first.map { snapshot.objects[Int($0.source)] } ?? object
        let captures = StrongCapture.all(way, in: snapshot, isCycle: false).filter { !$0.isOfAutoclosure }
        let closure = way.first(where: \.isOwnClosure)
        // The closure in a property is called by its owner.
        let isInner =
            captures.last.flatMap { last in way[...last.place].lastIndex(where: \.isOwnClosure) }
            .map { property(holding: $0, of: way, in: snapshot) != nil } ?? false
        if isInner { return nil }
        let subject = captures.last?.type ?? (head.kind == .instance && !head.isInternal ? head.type : object.type)
        for reference in way where reference.isOwnClosure {
            guard let caller = snapshot.objects[Int(reference.source)].caller else { continue }
            var remedy = LeakRemedy(.stopCaller, site: reference.site)
            (remedy.function, remedy.subject, remedy.property) = (reference.function, subject, caller)
            if let capture = captures.last {
                remedy.weakly = weakening(
                    capture, besides: (reference.site, reference.function), on: way, in: snapshot)
            }
            return remedy
        }
        switch head.outsideHolder {
        case .closure(let site):
            var remedy = LeakRemedy(.stopCaller, site: site)
            remedy.subject = subject
            if let capture = captures.last {
                remedy.weakly = weakening(
                    capture, besides: (site, closure?.site == site ? closure?.function : nil), on: way, in: snapshot)
            } else if let proxy = Proxy(on: way, in: snapshot) {
                remedy.weakly = [proxy.remedy]
            }
            return remedy
        case .task(let tasks):
            if let capture = captures.last, isStored(capture, on: way, in: snapshot) { return nil }
            var remedy = end(tasks, closure: closure, holding: subject)
            if remedy.subject == nil || remedy.isAwaited { return remedy }
            remedy.isLoop = tasks.last?.wait == .element
            guard remedy.child == nil, let task = tasks.last, task.kind == .closure else { return remedy }
            // The path may begin in the captures of the task's closure, which nothing but the task refers to.
            let isOfTask = head.kind == .closure && task.isMaker && way.first?.label.hasPrefix("captures") == true
            guard let place = captures.last?.place ?? (isOfTask ? 0 : nil) else { return remedy }
            let captured = snapshot.objects[Int(way[place].target)]
            guard captured.kind == .instance else { return remedy }
            remedy.isCapture = true
            if captures.isEmpty { remedy.subject = captured.type }
            remedy.isSelf = StrongCapture.standsIn(captured.type, function: captures.last?.function ?? task.function)
            if remedy.isLoop { remedy.sequence = sequence(of: captured, in: snapshot, definitions) }
            if let capture = captures.last {
                remedy.weakly = weakening(
                    capture, besides: (closure?.site, closure?.function), on: way, in: snapshot)
            }
            return remedy
        case .taskResult, .variable, nil: return nil
        }
    }

    /// Whether an object holds the closure that captures, of the program or of the system: a task that holds the object does not run it.
    private static func isStored(
        _ capture: StrongCapture, on way: [SnapshotReference], in snapshot: TraceSnapshot
    ) -> Bool {
        guard let closure = way[...capture.place].lastIndex(where: \.isOwnClosure) else { return false }
        return holder(of: closure, on: way, in: snapshot) != nil
    }

    /// The observable in a property of an object over whose `values` a loop runs; nil: there is no loop, or several.
    private static func sequence(
        of object: SnapshotObject, in snapshot: TraceSnapshot, _ definitions: TraceDefinitions?
    ) -> UInt32? {
        guard let owner = object.trackedObject, let definitions else { return nil }
        let loops = Set(snapshot.objects.compactMap(\.subscription).compactMap(definitions.node(inLoop:)))
            .filter { definitions.nodes[$0]?.owner == owner }
        return loops.count == 1 ? loops.first : nil
    }

    /// A remedy for the last of tasks that wait for each other; `subject` is what the closure of the first one holds.
    private static func end(
        _ tasks: [TaskWork], closure: SnapshotReference?, holding subject: String?
    ) -> LeakRemedy {
        let last = tasks.last
        var resuming = LeakRemedy(.resumeContinuation, site: last.flatMap { $0.kind == .closure ? $0.site : nil })
        (resuming.function, resuming.functionKind) = (last?.function, last?.kind ?? .unknown)
        if last?.wait == .continuation { return resuming }
        // A task that waits for another one goes on when that one ends. Cancelling a task cancels its children.
        let start = tasks.dropLast().lastIndex { !$0.wait.isChild }.map { $0 + 1 } ?? 0
        let (awaits, family) = (start > 0, tasks[start...])
        // A variable of an `async let` cannot be cancelled by itself.
        let end = tasks[start...].firstIndex { $0.wait == .asyncLet } ?? tasks.endIndex - 1
        let task = tasks.isEmpty ? nil : tasks[start...end].first { $0.madeAt != nil } ?? family.first
        var remedy = LeakRemedy(.cancelTask, site: awaits ? task?.madeAt : task?.madeAt ?? closure?.site)
        remedy.function = awaits ? task?.function : closure?.function
        remedy.subject = subject
        if awaits { (remedy.isAwaited, remedy.waiting) = (true, tasks[0].madeAt ?? closure?.site) }
        if family.count > 1, task != last {
            remedy.child = last
            remedy.isAsyncLet = family.dropLast().last?.wait == .asyncLet
        }
        if last?.wait == .unknown { remedy.alternatives = [resuming] }
        return remedy
    }

    /// A remedy for an object that is the delegate of a session.
    private static func session(_ references: [SnapshotReference], in snapshot: TraceSnapshot) -> LeakRemedy? {
        let isDelegate = references.contains { reference in
            let source = snapshot.objects[Int(reference.source)]
            return source.isOfSystem && source.type == "URLSession" && reference.label.hasSuffix("elegate")
        }
        return isDelegate ? LeakRemedy(.invalidateSession) : nil
    }

    /// A remedy for Combine's `assign(to:on:)`, which holds the object it writes to; the closure on the path is the library's
    /// own.
    private static func assignment(_ references: [SnapshotReference], in snapshot: TraceSnapshot) -> LeakRemedy? {
        let holder = references.first { reference in
            reference.label == ".object"
                && snapshot.objects[Int(reference.source)].type.contains("Subscribers.Assign<")
        }
        guard let holder else { return nil }
        var remedy = LeakRemedy(.replaceAssign)
        remedy.subject = snapshot.objects[Int(holder.target)].type
        return remedy
    }

    /// A remedy at the reference that leads back to an owner; if that is not decided, at one of those that may.
    ///
    /// If none of these is a property that could hold its object weakly, `disposal` comes first.
    private static func backReference(
        _ references: [SnapshotReference], expected: [UInt32], or disposal: LeakRemedy?, in snapshot: TraceSnapshot
    ) -> LeakRemedy {
        let back = CycleLinks(references, in: snapshot).back(expected: expected, in: snapshot)
        if let disposal, !back.contains(where: { $0.form == .direct }) { return disposal }
        // One property cannot both own and lead back.
        guard let first = back.first, back.count <= mostAlternatives,
            Set(back.map { "\($0.subject) \($0.place)" }).count == back.count
        else { return LeakRemedy(.breakCycle) }
        var remedy = LeakRemedy(first)
        remedy.alternatives = back.dropFirst().map { LeakRemedy($0) }
        return remedy
    }

    /// If there are more references, none is named.
    private static let mostAlternatives = 3

    /// An object that the program did not expect to go, captured by a closure and with a property that refers to the one that should be gone.
    ///
    /// Either nothing else holds it, so that a closure that captures it weakly would do nothing; or the object that should be gone owns it.
    private struct Proxy {
        /// The property holds its object weakly.
        let remedy: LeakRemedy
        /// Whether the property is known to lead back to an owner: the object owns the proxy, or the name of the property says so.
        let leadsBack: Bool

        init?(_ capture: StrongCapture, on way: [SnapshotReference], in snapshot: TraceSnapshot) {
            self.init(after: capture.place + 1, on: way, in: snapshot)
        }

        /// A path may begin at the proxy.
        init?(on way: [SnapshotReference], in snapshot: TraceSnapshot) { self.init(after: 0, on: way, in: snapshot) }

        private init?(after place: Int, on way: [SnapshotReference], in snapshot: TraceSnapshot) {
            guard place == way.count - 1, let property = way.last, LeakRemedy.isPlain(property, in: snapshot),
                property.label.dropFirst().allSatisfy({ $0 != "." && $0 != "[" && $0 != "(" })
            else { return nil }
            let proxy = snapshot.objects[Int(property.source)]
            if proxy.trackedObject != nil { return nil }
            let isOwned = Self.reaches(property.source, from: property.target, in: snapshot)
            let holders = snapshot.references.count { $0.ownership == .strong && $0.target == property.source }
            let isAlone = holders + Int(clamping: proxy.outsideReferences) <= 1
            guard isOwned || isAlone else { return nil }
            let name = String(property.label.dropFirst())
            var remedy = LeakRemedy(.holdWeakly)
            (remedy.subject, remedy.property) = (proxy.type, name)
            remedy.held = snapshot.objects[Int(property.target)].type
            (self.remedy, leadsBack) = (remedy, isOwned || CycleLinks.mayLeadBack(name))
        }

        /// Whether strong references lead from an object to another one.
        private static func reaches(_ other: UInt32, from object: UInt32, in snapshot: TraceSnapshot) -> Bool {
            var targets: [UInt32: [UInt32]] = [:]
            for reference in snapshot.references where reference.ownership == .strong {
                targets[reference.source, default: []].append(reference.target)
            }
            var (found, next) = ([object], 0)
            var seen: Set<UInt32> = [object]
            while next < found.count {
                for target in targets[found[next]] ?? [] where seen.insert(target).inserted { found.append(target) }
                next += 1
            }
            return seen.contains(other)
        }
    }

    private init(_ link: CycleLinks.Link) {
        switch link.form {
        case .direct: self.init(.holdWeakly)
        case .collection: self.init(.removeFromCollection)
        case .value, .library: self.init(.breakCycle)
        }
        subject = link.subject
        property = link.form == .collection ? link.place : link.name
        held = link.held
    }

    /// Whether it is a stored property of an object of the program; not one that a macro has added.
    static func isPlain(_ reference: SnapshotReference, in snapshot: TraceSnapshot) -> Bool {
        let source = snapshot.objects[Int(reference.source)]
        return source.kind == .instance && !source.isInternal && !source.isOfSystem && reference.label.hasPrefix(".")
            && !reference.label.hasPrefix("._$") && !reference.isClosure
    }
}

extension SnapshotObject {
    /// The kind of an object of Foundation that runs its closure: a timer holds it until it is invalidated, an operation and a thread while
    /// they run it; nil: it is another object.
    var caller: String? {
        guard isOfSystem else { return nil }
        switch type {
        case "Timer", "NSTimer": return "Timer"
        case "BlockOperation", "NSBlockOperation": return "Operation"
        case "Thread", "NSThread": return "Thread"
        default: return nil
        }
    }
}
