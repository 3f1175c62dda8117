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
