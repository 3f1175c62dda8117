import WeirTrace

/// A change that removes a leak.
public struct LeakRemedy: Sendable, Equatable {
    /// The change.
    public enum Kind: String, Sendable {
        /// A closure captures `subject` weakly: `[weak self]`.
        case captureWeakly
        /// A closure that calls itself through a variable that it captures becomes a function, or the variable is set to nil.
        case endRecursion
        /// The task that runs the closure is cancelled.
        case cancelTask
        /// A property holds its object weakly: `weak var delegate`.
        case holdWeakly
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
    public let kind: Kind
    /// The line to change: the closure's, else the subscription's; nil if unknown.
    public var site: TraceSite?
    /// The closure to change, if its line is unknown.
    public var function: String?
    /// The type that is captured or held.
    ///
    /// For `dispose` it is the type that the handler captures; with `property` it is the type that has the property.
    public var subject: String?
    /// The property that holds the object: "delegate", ".rows[…]".
    public var property: String?
    /// Whether the closure captures the object in whose type it is written.
    public var isSelf = false

    init(_ kind: Kind, site: TraceSite? = nil) {
        self.kind = kind
        self.site = site
    }
}

extension LeakRemedy {
    /// The remedy for an instance.
    init(for instance: LeakInstance, _ snapshot: TraceSnapshot, _ definitions: TraceDefinitions?) {
        func subscription() -> LeakRemedy? {
            guard let id = instance.subscription else { return nil }
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
                Self.assignment(references, in: snapshot) ?? Self.task(references, in: snapshot)
                ?? Self.closure(references, in: snapshot, isCycle: true)
                ?? Self.property(references, in: snapshot)
                ?? subscription() ?? Self.link(references, in: snapshot)
        case .object(let place):
            let way = snapshot.way(to: place)
            let object = snapshot.objects[place]
            if let dispose = subscription() {
                self = dispose
                let handler = way.lastIndex { snapshot.objects[Int($0.source)].subscription != nil } ?? 0
                subject = StrongCapture.all(Array(way[handler...]), in: snapshot, isCycle: false).first?.type
            } else if let cure = Self.task(way, in: snapshot)
                ?? Self.awaited(way, by: way.first.map { snapshot.objects[Int($0.source)] } ?? object)
                ?? Self.closure(way, in: snapshot, isCycle: false)
            {
                self = cure
            } else {
                self = LeakRemedy(.letGo)
                if let last = way.last(where: { Self.isPlain($0, in: snapshot) }) {
                    subject = snapshot.objects[Int(last.source)].type
                    property = ReferenceLabel.withoutIndexes(last.label)
                } else {
                    subject = (way.first.map { snapshot.objects[Int($0.source)] } ?? object).outsideName
                }
            }
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

    /// A remedy for the program's closure on these references that captures an object strongly.
    private static func closure(
        _ references: [SnapshotReference], in snapshot: TraceSnapshot, isCycle: Bool
    ) -> LeakRemedy? {
        // An autoclosure has no capture list; a closure in one has.
        let captures = StrongCapture.all(references, in: snapshot, isCycle: isCycle).filter {
            $0.function?.hasPrefix("implicit closure") != true
        }
        // The outer of two nested closures holds the object that the inner one captures weakly.
        guard let capture = isCycle ? captures.first : captures.last else { return nil }
        let captured = snapshot.objects[Int(references[capture.place].target)]
        var remedy = LeakRemedy(.captureWeakly, site: capture.site)
        // Only objects of classes can be held weakly.
        if captured.kind == .closure { remedy = LeakRemedy(.endRecursion, site: capture.site) }
        remedy.function = capture.function
        remedy.subject = capture.type
        remedy.isSelf = capture.isSelf
        return remedy
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

    /// A remedy if a task runs a function of the program that its closure awaits: the call keeps the object, however the
    /// closure captures it.
    private static func awaited(_ references: [SnapshotReference], by head: SnapshotObject) -> LeakRemedy? {
        guard head.isHolderGuessed, let name = head.outsideName, name.hasPrefix("a task that runs "),
            !name.contains("closure #"), let closure = references.first(where: \.isOwnClosure)
        else { return nil }
        var remedy = LeakRemedy(.cancelTask, site: closure.site)
        remedy.function = closure.function
        return remedy
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

    private static let backNames: Set<String> = [
        "delegate", "dataSource", "parent", "owner", "superview", "controller", "viewController", "coordinator",
        "presenter", "target", "previous", "back", "host", "container",
    ]

    /// A remedy that makes a property weak: one whose name suggests a back reference, else the one that closes the cycle.
    private static func property(_ references: [SnapshotReference], in snapshot: TraceSnapshot) -> LeakRemedy? {
        let plain = references.filter { isPlain($0, in: snapshot) }
        let name = { (reference: SnapshotReference) in String(reference.label.dropFirst()) }
        let isWeakable = { (reference: SnapshotReference) in
            !name(reference).contains { $0 == "." || $0 == "[" }
                && snapshot.objects[Int(reference.target)].kind == .instance
        }
        guard let found = plain.first(where: { backNames.contains(name($0)) }) ?? plain.last(where: isWeakable)
        else { return nil }
        var remedy = LeakRemedy(.holdWeakly)
        remedy.subject = snapshot.objects[Int(found.source)].type
        remedy.property = name(found)
        return remedy
    }

    /// A remedy that breaks a cycle at a property that cannot be weak: one whose name suggests a back reference, else the one that
    /// closes the cycle.
    private static func link(_ references: [SnapshotReference], in snapshot: TraceSnapshot) -> LeakRemedy {
        func name(_ reference: SnapshotReference) -> String {
            String(reference.label.dropFirst().prefix { $0 != "." && $0 != "[" })
        }
        let plain = references.filter { isPlain($0, in: snapshot) }
        var remedy = LeakRemedy(.breakCycle)
        guard let found = plain.first(where: { backNames.contains(name($0)) }) ?? plain.last else { return remedy }
        remedy.subject = snapshot.objects[Int(found.source)].type
        remedy.property = name(found)
        return remedy
    }

    /// Whether it is a stored property of an object of the program; not one that a macro has added.
    private static func isPlain(_ reference: SnapshotReference, in snapshot: TraceSnapshot) -> Bool {
        let source = snapshot.objects[Int(reference.source)]
        return source.kind == .instance && !source.isInternal && !source.isOfSystem && reference.label.hasPrefix(".")
            && !reference.label.hasPrefix("._$") && !reference.isClosure
    }
}
