#if Recording
import CWeirCore
import Dispatch
import WeirRecording

/// The objects whose release the program awaits, and the handler that hears of those that stay.
///
/// All judging takes place on the main queue, where objects of an app may be released; the heap is walked on another queue, on
/// Linux by a forked child. Nothing is held but, during a walk, the objects that it is about.
final class ReleaseWatch: @unchecked Sendable {  // `lock` guards the mutable state.
    static let shared = ReleaseWatch()

    typealias Handler = @MainActor @Sendable (TraceLeak) -> Void

    private let lock = SystemLock()
    private var handler: Handler?
    private var delay = DispatchTimeInterval.seconds(3)
    /// The objects that are awaited; each once.
    private var awaited: [ObjectIdentifier: TrackedObject] = [:]
    private var rules: [any DetachmentRule] = []
    private var isPolling = false

    /// The maximum number of objects of one walk. Others that are due at the same moment are reported without a path.
    static let mostOfWalk = 32
    private static let pollingInterval = DispatchTimeInterval.milliseconds(250)

    var isOn: Bool { lock.withLock { handler != nil } }

    func set(_ handler: Handler?, after delay: DispatchTimeInterval) {
        // Released outside of the lock, with all that it captures.
        let former = lock.withLock { () -> Handler? in
            defer { (self.handler, self.delay) = (handler, delay) }
            return self.handler
        }
        withExtendedLifetime(former) {}
    }

    /// Awaits the release of an object, if there is a handler.
    func expect(_ tracked: TrackedObject) {
        let delay = lock.withLock { () -> DispatchTimeInterval? in
            guard handler != nil, awaited.updateValue(tracked, forKey: ObjectIdentifier(tracked)) == nil else {
                return nil
            }
            return self.delay
        }
        guard let delay else { return }
        DispatchQueue.main.asyncAfter(deadline: .now() + delay) { self.judge(tracked) }
    }

    // MARK: Judging, on the main queue

    /// Objects that were due since the last walk began.
    private var due: [TrackedObject] = []
    private var isWalking = false

    private func judge(_ tracked: TrackedObject) {
        let begins = lock.withLock { () -> Bool in
            awaited[ObjectIdentifier(tracked)] = nil
            guard handler != nil else { return false }
            due.append(tracked)
            defer { isWalking = true }
            return !isWalking
        }
        // Objects that are due at the same moment share a walk.
        if begins { DispatchQueue.main.async { self.walk() } }
    }

    /// An object that is alive, held by this until `release`.
    private struct Survivor: @unchecked Sendable {  // Used by one queue after the other.
        let name: String
        let object: Unmanaged<AnyObject>

        init?(_ tracked: TrackedObject) {
            guard !tracked.isGone, let object = tracked.object else { return nil }
            name = Registry.shared.label(of: tracked) ?? "\(type(of: object))"
            self.object = .passRetained(object)
        }

        var address: UInt { UInt(bitPattern: object.toOpaque()) }
    }

    private func walk() {
        let survivors = lock.withLock { () -> [TrackedObject] in
            defer { due = [] }
            return due
        }.compactMap(Survivor.init)
        guard !survivors.isEmpty else { return finish([], []) }
        DispatchQueue.global(qos: .utility).async {
            let leaks = Self.leaks(survivors)
            // The last reference may end here: an app expects that on the main queue.
            DispatchQueue.main.async { self.finish(survivors, leaks) }
        }
    }

    private func finish(_ survivors: [Survivor], _ leaks: [TraceLeak]) {
        for survivor in survivors { survivor.object.release() }
        let (handler, continues) = lock.withLock {
            isWalking = !due.isEmpty
            return (self.handler, isWalking)
        }
        // Any thread may serve the main queue; the main actor knows.
        if let handler { Task { @MainActor in for leak in leaks { handler(leak) } } }
        if continues { DispatchQueue.main.async { self.walk() } }
    }

    private static func leaks(_ survivors: [Survivor]) -> [TraceLeak] {
        #if os(Linux)
        let roots = survivors.prefix(mostOfWalk).enumerated().map { place, survivor in
            HeapRoot(address: survivor.address, pins: 1, tag: HeapProbe.tag(.object(UInt32(place))))
        }
        let snapshot = HeapProbe.snapshot(from: roots, searchesHolders: true)
        return survivors.enumerated().map { place, survivor in
            place < mostOfWalk
                ? TraceLeak(name: survivor.name, .object(UInt32(place)), in: snapshot)
                : TraceLeak(name: survivor.name, limitation: "\(mostOfWalk) others were walked at the same moment.")
        }
        #else
        // Without a forked child, other threads would change what is walked.
        return survivors.map {
            TraceLeak(
                name: $0.name,
                limitation: "Record with Trace.checkpoint, and `weir leaks` shows what holds it.")
        }
        #endif
    }

    // MARK: Detached objects

    func add(_ rule: any DetachmentRule) {
        let begins = lock.withLock { () -> Bool in
            rules.append(rule)
            defer { isPolling = true }
            return !isPolling
        }
        if begins { poll() }
    }

    private func poll() {
        DispatchQueue.main.asyncAfter(deadline: .now() + Self.pollingInterval) {
            Task { @MainActor in
                self.look()
                self.poll()
            }
        }
    }

    @MainActor
    private func look() {
        guard weir_recording() != 0 || isOn else { return }
        let rules = lock.withLock { self.rules }
        let known = Registry.shared.allTracked.filter { tracked in rules.contains { $0.mayApply(to: tracked) } }
        for rule in rules { rule.forget(allExcept: known) }
        for tracked in known {
            guard !tracked.isGone, let object = tracked.object else { continue }
            for rule in rules where rule.hasDetached(object, tracked) { Trace.expectReleased(object) }
        }
    }
}

/// When an object of a class is expected to be released: after it was attached, and is no longer.
protocol DetachmentRule: AnyObject, Sendable {
    func mayApply(to tracked: TrackedObject) -> Bool
    /// Whether the object was attached, and was not at the last two looks: one alone may fall between two places of it.
    @MainActor func hasDetached(_ object: AnyObject, _ tracked: TrackedObject) -> Bool
    @MainActor func forget(allExcept known: [TrackedObject])
}

final class DetachedClass<Object: AnyObject>: DetachmentRule, @unchecked Sendable {  // Used by the main actor alone.
    private let isAttached: @MainActor (Object) -> Bool
    private var attached: Set<UInt64> = []
    private var detached: Set<UInt64> = []

    init(_ isAttached: @escaping @MainActor (Object) -> Bool) { self.isAttached = isAttached }

    func mayApply(to tracked: TrackedObject) -> Bool { tracked.isOf(Object.self) }

    func hasDetached(_ object: AnyObject, _ tracked: TrackedObject) -> Bool {
        guard let object = object as? Object else { return false }
        if isAttached(object) {
            attached.insert(tracked.number)
            detached.remove(tracked.number)
            return false
        }
        if attached.remove(tracked.number) != nil {
            detached.insert(tracked.number)
            return false
        }
        return detached.remove(tracked.number) != nil
    }

    func forget(allExcept known: [TrackedObject]) {
        guard attached.count + detached.count > known.count else { return }
        let numbers = Set(known.lazy.map(\.number))
        attached.formIntersection(numbers)
        detached.formIntersection(numbers)
    }
}
#endif
