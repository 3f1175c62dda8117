/// A history, grouped by node, listener and thread.
struct Reading {
    struct Call {
        var began: Int
        var ended = Int.max
        var thread: UInt32
        var a: Int
        var b: Int
    }

    struct Change {
        var value: Int
        var began: Int
        var ended = Int.max
        /// The time by which its own thread had delivered it: at the end of the batch that it was in.
        var delivered = Int.max
        var thread: UInt32
        /// The number of batches that were open on its thread.
        var batches: Int
        /// The calls that were open on its thread, outermost first: listener, index of the call, number of open batches.
        var inside: [(listener: Int, call: Int, batches: Int)]
    }

    struct Listener {
        var calls: [Call] = []
        var subscribeBegan: Int?
        var subscribeEnded: Int?
        var disposeBegan: Int?
        var disposeEnded: Int?
        var isDisposedInCall = false
        var ends: [(time: Int, thread: UInt32)] = []
        /// There was nothing to subscribe to.
        var isVoid = false

        var isSubscribed: Bool { subscribeEnded != nil && !isVoid }
        var heard: [Int] { calls.map(\.a) }
    }

    struct Node {
        var writes: [Change] = []
        var emissions: [Change] = []
        var completion: (began: Int, ended: Int)?
        var reads: [(began: Int, ended: Int, value: Int)] = []
        /// The arguments from which a combiner was computed, by its value.
        var arguments: [Int: [Int]] = [:]
    }

    private struct Thread {
        var calls: [(listener: Int, call: Int, batches: Int)] = []
        var writes: [(node: Int, index: Int)] = []
        var emissions: [(node: Int, index: Int)] = []
        var batches: [[(node: Int, index: Int)]] = []
        var readBegan = 0
    }

    private(set) var nodes: [Node]
    private(set) var listeners: [Listener]
    private var threads: [UInt32: Thread] = [:]

    init(_ program: SoakProgram, _ events: [History.Event]) {
        nodes = program.nodes.map { _ in Node() }
        listeners = program.listeners.map { _ in Listener() }
        for (time, event) in events.enumerated() { add(event, time) }
    }

    private mutating func add(_ event: History.Event, _ time: Int) {
        let subject = Int(event.subject)
        var thread = threads[event.thread] ?? Thread()
        defer { threads[event.thread] = thread }
        switch event.kind {
        case .writeBegan:
            thread.writes.append((subject, nodes[subject].writes.count))
            thread.batches.indices.last.map { thread.batches[$0].append((subject, nodes[subject].writes.count)) }
            nodes[subject].writes.append(change(event, time, thread))
        case .writeEnded:
            guard let (node, index) = thread.writes.popLast() else { return }
            nodes[node].writes[index].ended = time
            if thread.batches.isEmpty { nodes[node].writes[index].delivered = time }
        case .emitBegan:
            thread.emissions.append((subject, nodes[subject].emissions.count))
            nodes[subject].emissions.append(change(event, time, thread))
        case .emitEnded:
            guard let (node, index) = thread.emissions.popLast() else { return }
            nodes[node].emissions[index].ended = time
        case .readBegan: thread.readBegan = time
        case .readEnded: nodes[subject].reads.append((thread.readBegan, time, event.a))
        case .evaluated: nodes[subject].arguments[event.a] = [event.b, event.c]
        case .batchBegan: thread.batches.append([])
        case .batchEnded:
            guard let inner = thread.batches.popLast() else { return }
            if let outer = thread.batches.indices.last {
                thread.batches[outer] += inner
            } else {
                for (node, index) in inner { nodes[node].writes[index].delivered = time }
            }
        case .callBegan:
            thread.calls.append((subject, listeners[subject].calls.count, thread.batches.count))
            listeners[subject].calls.append(Call(began: time, thread: event.thread, a: event.a, b: event.b))
        case .callEnded:
            guard let (listener, call, _) = thread.calls.popLast() else { return }
            listeners[listener].calls[call].ended = time
        case .subscribeBegan: listeners[subject].subscribeBegan = time
        case .subscribeEnded:
            listeners[subject].subscribeEnded = time
            listeners[subject].isVoid = event.a != 0
        case .disposeBegan:
            listeners[subject].disposeBegan = time
            listeners[subject].isDisposedInCall = thread.calls.contains { $0.listener == subject }
        case .disposeEnded: listeners[subject].disposeEnded = time
        case .ended: listeners[subject].ends.append((time, event.thread))
        case .completeBegan: if nodes[subject].completion == nil { nodes[subject].completion = (time, .max) }
        case .completeEnded:
            if nodes[subject].completion?.ended == .max { nodes[subject].completion?.ended = time }
        }
    }

    private func change(_ event: History.Event, _ time: Int, _ thread: Thread) -> Change {
        Change(
            value: event.a, began: time, thread: event.thread, batches: thread.batches.count, inside: thread.calls)
    }
}
