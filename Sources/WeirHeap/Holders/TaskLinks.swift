/// The links between tasks: what a task waits for, its parent, and its children.
///
/// Follows the runtime's layout on 64-bit platforms. Each task on the other end of a link is checked to be one, and each child to
/// name its parent. Use the result only as a name: the memory may be older than what the task does now.
struct TaskLinks {
    private let plans: Plans
    private var memory: MemoryMap { plans.memory }

    init(_ plans: Plans) { self.plans = plans }

    /// What a task waits for.
    enum Awaited: Equatable {
        case task(UInt)
        /// The children of a group that have not ended, in the order in which they were added.
        case group([UInt])
    }

    /// The offset of a task's flags, and the sizes of tasks in the known runtimes. The links of a child task follow the task.
    static let flags: UInt = 32, sizes: [UInt] = [192, 208]
    /// The flags of a task.
    static let isChild: UInt32 = 1 << 24, isFuture: UInt32 = 1 << 25, isOfGroup: UInt32 = 1 << 26

    /// The offsets of the part of a task that only the runtime uses.
    private static let privateParts: Range<UInt> = 96..<192
    /// What the record of a waiting task says that it waits for.
    private static let (waitsForTask, waitsForGroup): (UInt32, UInt32) = (1, 3)
    /// The record of a group, which follows the group's first word, and the kind of such a record.
    private static let (groupRecord, kindOfGroup): (UInt, UInt32) = (8, 2)
    private static let (mostChildren, mostParents) = (4096, 32)

    /// What the task at an address waits for; nil: something else, or the memory has another layout.
    ///
    /// While a task waits, a record in its memory says for what. The record names the waiting task, too.
    func awaited(by task: UInt) -> Awaited? {
        for place in stride(from: task &+ Self.privateParts.lowerBound, to: task &+ Self.privateParts.upperBound, by: 8)
        {
            guard memory.isReadable(place, 8) else { return nil }
            let record = Memory.word(place)
            guard isPlace(record, 48), Memory.word(record &+ 40) == task else { continue }
            let awaited = Memory.word(record &+ 16)
            switch Memory.half(record &+ 32) {
            case Self.waitsForTask: return isTask(awaited) ? .task(awaited) : nil
            case Self.waitsForGroup: return .group(children(ofGroup: awaited, of: task))
            default: continue
            }
        }
        return nil
    }

    /// The parents of a child task, outermost first; empty: it is no child.
    func parents(of task: UInt) -> [UInt] {
        var parents: [UInt] = []
        var child = task
        while parents.count < Self.mostParents, let parent = parent(of: child), parent != task,
            !parents.contains(parent)
        {
            parents.append(parent)
            child = parent
        }
        return parents.reversed()
    }

    /// Whether a task is the child of another one by `async let`, not of a group.
    func isAsyncLet(_ task: UInt, of other: UInt) -> Bool {
        parent(of: task) == other && Memory.half(task &+ Self.flags) & Self.isOfGroup == 0
    }

    private func children(ofGroup group: UInt, of parent: UInt) -> [UInt] {
        let record = group &+ Self.groupRecord
        guard isPlace(record, 24), Memory.half(record) == Self.kindOfGroup else { return [] }
        var children: [UInt] = []
        var child = Memory.word(record &+ 16)
        while children.count < Self.mostChildren, let links = links(ofChild: child, of: parent) {
            if !TaskFrames(of: child, memory).hasEnded { children.append(child) }
            child = Memory.word(links &+ 8)
            // Damaged memory may lead back.
            if children.contains(child) { break }
        }
        return children
    }

    private func parent(of task: UInt) -> UInt? {
        guard let links = links(ofChild: task) else { return nil }
        return Memory.word(links)
    }

    /// The address of a child's links: its parent, then the next child.
    private func links(ofChild task: UInt, of parent: UInt? = nil) -> UInt? {
        guard isTask(task), memory.isReadable(task, 256), Memory.half(task &+ Self.flags) & Self.isChild != 0 else {
            return nil
        }
        return Self.sizes.lazy.map { task &+ $0 }.first { links in
            let found = Memory.word(links)
            return parent.map { $0 == found } ?? isTask(found)
        }
    }

    private func isPlace(_ address: UInt, _ length: UInt) -> Bool {
        address & 7 == 0 && address >= Memory.leastAddress && memory.isReadable(address, length)
    }

    private func isTask(_ address: UInt) -> Bool {
        isPlace(address, 64) && plans.isObject(address) && plans.kind(of: address) == .task
    }
}
