/// Names the tasks that hold an object, of those whose memory contains its address.
struct TaskHolders {
    private let plans: Plans
    private let links: TaskLinks

    init(_ plans: Plans) {
        self.plans = plans
        links = TaskLinks(plans)
    }

    /// The number of tasks to follow, each of which waits for the next.
    private static let mostWaiting = 8

    /// The holders: those of `tasks` that have not ended, each with its parents and what it waits for, in the order of the source.
    ///
    /// Several tasks are one holder if they do the same. If there are more than `most`, some have an old address in their memory: then
    /// only the first of those with the same outermost parent counts. A task without work is unknown.
    func holders(among tasks: Set<UInt>, most: Int) -> [HeapHolder] {
        let lines = tasks.filter { !frames(of: $0).hasEnded }.map { links.parents(of: $0) + [$0] }
        if lines.isEmpty { return [.taskResult] }
        let parents = Set(lines.flatMap { $0.dropLast() })
        // A parent may have handed the object to its child.
        let works = lines.filter { !parents.contains($0[$0.count - 1]) }
            .map { ($0[0], self.works(along: $0)) }
            .filter { !$0.1.isEmpty }
        var distinct = Set(works.map(\.1))
        if distinct.count > max(most, 1) {
            distinct = Set(Dictionary(works) { Self.isBefore($0, $1) ? $0 : $1 }.values)
            if distinct.count > 1 { return [.task([])] }
        }
        return distinct.isEmpty ? [.task([])] : distinct.sorted(by: Self.isBefore).map(HeapHolder.task)
    }

    private func frames(of task: UInt) -> TaskFrames { TaskFrames(of: task, plans.memory) }

    /// The works of a task's parents and of the task, then those of the tasks that it waits for.
    private func works(along line: [UInt]) -> [HeapTask] {
        let parents = line.dropLast().enumerated().compactMap { place, parent -> HeapTask? in
            guard var work = frames(of: parent).work(plans.symbols) else { return nil }
            work.wait = links.isAsyncLet(line[place + 1], of: parent) ? .asyncLet : .group
            return work
        }
        let own = works(of: line[line.count - 1], waiting: [])
        return own.isEmpty ? [] : parents + own
    }

    /// The work of a task, then that of the task that it waits for, and so on; empty: it has ended, or its work is unknown.
    private func works(of task: UInt, waiting: Set<UInt>) -> [HeapTask] {
        let frames = frames(of: task)
        guard !frames.hasEnded, var work = frames.work(plans.symbols) else { return [] }
        let waiting = waiting.union([task])
        var next: [HeapTask] = []
        switch links.awaited(by: task) {
        case nil: return [work]
        case .task(let awaited):
            if waiting.count <= Self.mostWaiting, !waiting.contains(awaited) {
                next = works(of: awaited, waiting: waiting)
            }
            work.wait = links.isAsyncLet(awaited, of: task) ? .asyncLet : .task
        case .group(let children):
            if waiting.count <= Self.mostWaiting {
                next =
                    children.lazy.filter { !waiting.contains($0) }.map { works(of: $0, waiting: waiting) }
                    .first { !$0.isEmpty } ?? []
            }
            work.wait = .group
        }
        return [work] + next
    }

    /// An order that does not depend on addresses: by the lines of what the tasks run.
    private static func isBefore(_ one: [HeapTask], _ other: [HeapTask]) -> Bool {
        for (one, other) in zip(one, other) where one != other { return isBefore(one, other) }
        return one.count < other.count
    }

    private static func isBefore(_ one: HeapTask, _ other: HeapTask) -> Bool {
        for (one, other) in [(one.maker, other.maker), (one.function, other.function)] where one != other {
            return (one?.file ?? "", one?.line ?? 0, one?.name ?? "") < (
                other?.file ?? "", other?.line ?? 0, other?.name ?? ""
            )
        }
        return one.wait.rawValue < other.wait.rawValue
    }
}

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
