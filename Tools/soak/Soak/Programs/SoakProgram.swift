import Weir

/// A program of several threads that write, emit, subscribe and dispose.
///
/// A plain value: a random generator makes it, a run performs it, and the judge compares it with the run's history. All
/// numbers written to the same `state`, or emitted, are different, so a number identifies the write that it comes from.
package struct SoakProgram: Sendable, Equatable {
    /// Nodes by their index; a combiner's index is higher than those of its inputs.
    package enum Node: Sendable, Equatable {
        /// An observable to which every number is written at most once.
        case state
        /// An observable of few values, which can return.
        case small
        case emitter
        case combiner(CombineStrategy, [Int])
        /// A combiner that a thread makes while others write.
        case late([Int])
        /// An observable that is written only through a binding.
        case bound(to: Int)
        /// The same, bound in both directions; threads write to both. Values may return.
        case mirror(of: Int)
    }

    package enum Source: Sendable, Equatable {
        case node(Int)
        case current(Int)
        /// `subscribe(initial: true)`.
        case initial(Int)
        /// One shared signal for each node.
        case shared(Int)
        case replayed(Int)
        case merge(Int, Int)
        case zip(Int, Int)
        case combineLatest(Int, Int)
        /// `withLatest(from:)`: the events of one emitter, with the latest ones of another.
        case withLatest(Int, from: Int)
        /// `flatMap` into signals of two values that emit at once.
        case doubled(FlattenStrategy, Int)
        /// `flatMap(.latest)` from one emitter to another.
        case switching(Int, to: Int)
    }

    package enum Operator: Sendable, Equatable {
        case map, filter, removeDuplicates, scan, buffer
        case skip(Int)
        case take(Int)
        /// `deliver(on:)` one of the program's serial queues.
        case deliver(Int)
    }

    package indirect enum Action: Sendable, Equatable {
        case write(Int, Int)
        case emit(Int, Int)
        /// Ends an emitter.
        case complete(Int)
        case fail(Int)
        case read(Int)
        case batch([Action])
        case subscribe(Int)
        case dispose(Int)
        /// Makes a late combiner.
        case make(Int)
    }

    package struct Reaction: Sendable, Equatable {
        /// At which call, from 0.
        package var call: Int
        package var actions: [Action]
    }

    package struct Listener: Sendable, Equatable {
        package var source: Source
        package var operators: [Operator] = []
        /// Whether it subscribes before the threads begin.
        package var isEarly = true
        package var reactions: [Reaction] = []

        package init(source: Source, isEarly: Bool = true) {
            self.source = source
            self.isEarly = isEarly
        }
    }

    package var usesText = false
    package var nodes: [Node] = []
    package var listeners: [Listener] = []
    package var threads: [[Action]] = []

    package static let queues = 2

    package init() {}

    /// The value of a node before anything is written.
    package func initialValue(of node: Int) -> Int {
        switch nodes[node] {
        case .state: node + 1
        case .small, .emitter: 0
        case .combiner(_, let inputs), .late(let inputs): combined(node, inputs.map(initialValue))
        case .bound(let source), .mirror(let source): initialValue(of: source)
        }
    }

    /// The function that a combiner computes.
    package func combined(_ node: Int, _ inputs: [Int]) -> Int { inputs.reduce(node) { mixed($0, $1) } }

    package var isEmitter: [Bool] { nodes.map { $0 == .emitter } }

    /// All actions, those of handlers and in batches included.
    package var allActions: [Action] {
        func flat(_ actions: [Action]) -> [Action] {
            actions.flatMap { action -> [Action] in
                if case .batch(let inner) = action { return [action] + flat(inner) }
                return [action]
            }
        }
        return flat(threads.flatMap { $0 }) + flat(listeners.flatMap { $0.reactions.flatMap(\.actions) })
    }
}
