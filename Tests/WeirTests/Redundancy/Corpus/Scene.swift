import Foundation
import Weir
import WeirTesting

/// The environment of a corpus program: its time, its names, its user.
final class Scene: @unchecked Sendable {  // A program runs on one thread at a time.
    /// Advances only by the few microseconds that recording takes, and when the program advances it.
    let clock: VirtualClock
    /// Schedules work on the same clock.
    let time: VirtualScheduler
    /// Holds subscriptions until the program is over.
    private(set) var bag = DisposeBag()
    /// The last value that each label showed.
    private(set) var shown: [String: String] = [:]
    private let path: String
    private let values: TraceValues
    private var held: [AnyObject] = []

    init(recordingTo path: String, values: TraceValues, clock: VirtualClock = VirtualClock()) {
        self.path = path
        self.values = values
        self.clock = clock
        time = VirtualScheduler(clock: clock)
    }

    /// Begins to record; a program that is recorded late calls it.
    func record() throws { try Trace.start(writingTo: path, values: values, clock: clock, snapshots: .none) }

    /// Releases everything: handlers may hold the scene.
    func end() {
        bag = DisposeBag()
        held = []
    }

    /// Names a node as adoption would name a model's property: 'Model.total'.
    func name<Node: AnyObject>(_ name: String, _ node: Node) -> Node {
        let property = Property(name, node)
        held.append(property)
        Trace.adopt(property, as: "Model")
        return node
    }

    /// Adopts a model, and holds it until the program is over.
    func adopt<Model: AnyObject>(_ model: Model) -> Model {
        held.append(model)
        Trace.adopt(model)
        return model
    }

    /// Performs a user's action; then the screen is drawn.
    func act(_ name: String, _ action: () -> Void) {
        Trace.stimulus(name, action)
        Trace.frame()
    }

    /// The screen is drawn.
    func draw() { Trace.frame() }

    /// A label shows a value, which takes a while.
    func show(_ value: some Any, on label: String, microseconds: UInt64 = 5) {
        shown[label] = "\(value)"
        clock.advance(nanoseconds: microseconds * 1000)
    }

    func wait(milliseconds: UInt64) { clock.advance(nanoseconds: milliseconds * 1_000_000) }

    /// Runs `body` on a new thread, and waits for its end.
    func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            body()
            done.signal()
        }
        thread.start()
        done.wait()
    }

    /// Runs `body` on the main queue, and waits for it; if any thread may run that queue, uses a thread of its own.
    func onMainQueue(_ body: @escaping @Sendable () -> Void) {
        onAnotherThread { DispatchQueue.main.sync(execute: body) }
    }

    /// Runs `body` in a task, and waits for it.
    func inTask(_ body: @escaping @Sendable () async -> Void) {
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            await body()
            done.signal()
        }
        done.wait()
    }

    /// An object with one property.
    private final class Property: CustomReflectable {
        private let name: String
        private let node: AnyObject

        init(_ name: String, _ node: AnyObject) {
            self.name = name
            self.node = node
        }

        var customMirror: Mirror { Mirror(self, children: [name: node]) }
    }
}
