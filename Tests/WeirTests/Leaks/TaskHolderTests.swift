#if canImport(Glibc)
import Testing
import Weir
import WeirHeap
import WeirTrace

/// Tasks that hold objects: what they run, or that they have ended. They never run beside tests that make walks fail on purpose.
@Suite(.serialized, .ahead, .patientWalks, .holdingRecorder) struct TaskHolderTests {
    private final class Model: @unchecked Sendable {
        var task: Task<Model, any Error>?
        var continuation: CheckedContinuation<Void, Never>?
    }

    private struct Failed: Error {
        let model: Model
    }

    /// Searched in a forked child: other threads give memory back to the system meanwhile.
    private static func holder(of model: Model) -> OutsideHolder? {
        let address = UInt(bitPattern: Unmanaged.passUnretained(model).toOpaque())
        let root = HeapRoot(address: address, tag: HeapProbe.tag(.object(1)))
        let snapshot = HeapProbe.snapshot(from: [root], searchesHolders: true)
        let model = snapshot.objects.first { $0.identity == .object(1) }
        // The test holds the model, too. The error that a task threw is a holder between the task and the model.
        let error = snapshot.objects.first { $0.kind == .error }
        return model?.outsideHolder ?? error?.outsideHolder
    }

    /// The work that `attempt` finds. Memory that earlier tests have used may contain the address of the model, too, and then no work
    /// is named, or another holder is: another model has another address.
    private static func works(_ attempt: () async throws -> OutsideHolder?) async rethrows -> [TaskWork] {
        var others: [String] = []
        for _ in 0..<20 {
            switch try await attempt() {
            case .task(let works) where !works.isEmpty: return works
            case let holder: others.append(String(describing: holder))
            }
        }
        Issue.record("\(others)")
        return []
    }

    @Test func `a task that waits is known by what it runs`() async throws {
        let line = #line + 3
        let works = await Self.works {
            let model = Model()
            let task = Task.detached(priority: .high) { @Sendable in
                await withCheckedContinuation { model.continuation = $0 }
                withExtendedLifetime(model) {}
            }
            while model.continuation == nil { await Task.yield() }
            let holder = Self.holder(of: model)
            model.continuation?.resume()
            await task.value
            return holder
        }
        let work = try #require(works.first)
        #expect(work.isMaker && works.count == 1)
        #expect(work.site == TraceSite(file: "WeirTests/TaskHolderTests.swift", line: line))
    }

    /// A model that a child task holds, which waits for the continuation.
    private enum Child: CaseIterable {
        case group, throwingGroup, discardingGroup, nestedGroup, asyncLet, asyncLetInGroup
    }

    // Inlined, it has no name: with optimization, the child is known by its closure alone.
    @inline(never)
    private func wait(_ model: Model) async {
        await withCheckedContinuation { model.continuation = $0 }
        withExtendedLifetime(model) {}
    }

    private func run(_ child: Child, _ model: Model) async throws {
        switch child {
        case .group: await withTaskGroup { $0.addTask { await wait(model) } }
        case .throwingGroup:
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { while true { try await Task.sleep(for: .seconds(60)) } }
                group.addTask { await wait(model) }
                try await group.next()
                group.cancelAll()
            }
        case .discardingGroup: await withDiscardingTaskGroup { $0.addTask { await wait(model) } }
        case .nestedGroup:
            await withTaskGroup { $0.addTask { await withTaskGroup { $0.addTask { await wait(model) } } } }
        case .asyncLet:
            async let first = 1
            async let second: Void = wait(model)
            _ = await (first, second)
        case .asyncLetInGroup:
            await withTaskGroup {
                $0.addTask {
                    async let second: Void = wait(model)
                    await second
                }
            }
        }
    }

    private func waits(_ child: Child) -> [TaskWork.Wait] {
        switch child {
        case .group, .throwingGroup, .discardingGroup: [.group, .continuation]
        case .nestedGroup: [.group, .group, .continuation]
        case .asyncLet: [.asyncLet, .continuation]
        case .asyncLetInGroup: [.group, .asyncLet, .continuation]
        }
    }

    @Test(arguments: Child.allCases) private func `a child task that waits is known with its parents`(
        _ child: Child
    ) async throws {
        let works = try await Self.works {
            let model = Model()
            let task = Task.detached(priority: .high) { try await run(child, model) }
            while model.continuation == nil { await Task.yield() }
            try await Task.sleep(for: .milliseconds(100))
            let holder = Self.holder(of: model)
            model.continuation?.resume()
            try await task.value
            return holder
        }
        #expect(works.map(\.wait) == waits(child), "\(works)")
        #expect(works.last?.function == "TaskHolderTests.wait(_:)", "\(works)")
        #expect(works.allSatisfy { $0.site?.file == "WeirTests/TaskHolderTests.swift" }, "\(works)")
    }

    @Test(arguments: [false, true]) func `a task that has ended is not said to run`(_ fails: Bool) async {
        var holder: OutsideHolder?
        // The memory of this task, or of one of another test, may contain the address, too: then another object is tried.
        for _ in 0..<10 where holder != .taskResult && holder != .task([]) {
            let model = Model()
            model.task = Task.detached(priority: .high) { @Sendable in
                if fails { throw Failed(model: model) }
                return model
            }
            _ = await model.task?.result
            holder = Self.holder(of: model)
        }
        #expect(holder == .taskResult || holder == .task([]), "\(String(describing: holder))")
    }
}
#endif
