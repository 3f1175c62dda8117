/// The frames of a suspended task, from the function that it resumes outwards.
///
/// Follows the runtime's layout on 64-bit platforms. A task has the function to resume and its frame. A frame has the caller's
/// frame and the function to resume there. Use the result only as a name: the memory may be older than what the task does now.
struct TaskFrames {
    /// Addresses of code, innermost first.
    let functions: [UInt]

    /// Whether the task has ended; what it ran before is no longer running. Its result keeps what it returned.
    let hasEnded: Bool

    private static let resumption: UInt = 56
    private static let most = 64

    /// Reads the frames of the task at an address; empty if the memory does not have this layout.
    init(of task: UInt, _ memory: MemoryMap) {
        hasEnded = Self.hasEnded(task, memory)
        var functions: [UInt] = []
        var place = task &+ Self.resumption
        guard memory.isReadable(place, 16) else {
            self.functions = []
            return
        }
        var (function, frame) = (Memory.word(place), Memory.word(place &+ 8))
        while function != 0, functions.count < Self.most {
            functions.append(function)
            place = frame
            guard place & 7 == 0, place >= Memory.leastAddress, memory.isReadable(place, 16) else { break }
            (frame, function) = (Memory.word(place), Memory.word(place &+ 8))
        }
        self.functions = functions
    }

    /// Reads the state of the task's result, which comes after the task itself and the links of a child task.
    private static func hasEnded(_ task: UInt, _ memory: MemoryMap) -> Bool {
        guard memory.isReadable(task, 256) else { return false }
        let flags = Memory.half(task &+ TaskLinks.flags)
        guard flags & TaskLinks.isFuture != 0 else { return false }
        let links: UInt = (flags & TaskLinks.isChild != 0 ? 16 : 0) + (flags & TaskLinks.isOfGroup != 0 ? 8 : 0)
        // The type of the result follows.
        let size = TaskLinks.sizes.first { memory.isType(Memory.word(task &+ $0 &+ links &+ 8)) }
        guard let size else { return false }
        // While the task runs, this word lists the tasks that wait for it. The lowest bits say whether it returned or threw.
        let state = Memory.word(task &+ size &+ links) & 3
        return state == 1 || state == 2
    }

    /// The closure with which the task was made, the outermost function of the program; nil: it is unknown.
    private func maker(_ symbols: HeapSymbols) -> HeapFunction? {
        let outermost = functions.lazy.reversed().compactMap { ownFunction(at: $0, symbols) }.first
        // The compiler makes an autoclosure of the value of an `async let`.
        return outermost?.kind == .closure || outermost?.kind == .autoclosure ? outermost : nil
    }

    /// A function of the program with a known line; nil: it is another one.
    private func ownFunction(at address: UInt, _ symbols: HeapSymbols) -> HeapFunction? {
        let function = symbols.function(at: address)
        return function.name != nil && function.line != nil && !function.isInternal ? function : nil
    }

    /// The work of the task; nil: no function of the program is known.
    func work(_ symbols: HeapSymbols) -> HeapTask? {
        var inner: [String?] = []
        let maker = maker(symbols)
        for (place, address) in functions.enumerated() {
            guard let own = ownFunction(at: address, symbols) else {
                inner.append(symbols.function(at: address).name)
                continue
            }
            guard !inner.isEmpty else { return HeapTask(function: own, maker: maker, wait: .unknown) }
            let isCancellable = functions[place...].contains { address in
                symbols.function(at: address).name?.hasPrefix("withTaskCancellationHandler") ?? false
            }
            let isContinuation = inner.allSatisfy { name in
                guard let base = name?.prefix(while: { $0 != "(" }) else { return false }
                return Self.continuations.contains(String(base))
            }
            var wait = isContinuation && !isCancellable ? HeapTask.Wait.continuation : .library
            let names = inner.compactMap { $0?.prefix { $0 != "(" } }
            // A function of a library in between has a loop of its own, such as `first(where:)`.
            if names.last?.hasSuffix(".next") == true { wait = .element }
            // A group is a sequence, too.
            if names.contains(where: { $0.contains("TaskGroup.") }) { wait = .group }
            return HeapTask(function: own, maker: maker, wait: wait)
        }
        return nil
    }

    private static let continuations: Set<String> = [
        "withCheckedContinuation", "withCheckedThrowingContinuation", "withUnsafeContinuation",
        "withUnsafeThrowingContinuation",
    ]
}
