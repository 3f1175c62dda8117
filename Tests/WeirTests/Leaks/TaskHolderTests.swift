#if canImport(Glibc)
import Testing
import Weir
import WeirHeap
import WeirTrace

/// Tasks that hold objects: what they run, or that they have ended.
struct TaskHolderTests {
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
        return snapshot.objects.first { $0.identity == .object(1) }?.outsideHolder
    }

    @Test func `a task that waits is known by what it runs`() async {
        let model = Model()
        let line = #line + 1
        let task = Task.detached { @Sendable in
            await withCheckedContinuation { model.continuation = $0 }
            withExtendedLifetime(model) {}
        }
        while model.continuation == nil { await Task.yield() }
        let holder = Self.holder(of: model)
        guard case .task(let works) = holder else {
            Issue.record("\(String(describing: holder))")
            return
        }
        // The memory of a task of another test may contain the address, too.
        if let work = works.first {
            #expect(work.isMaker && works.count == 1)
            #expect(work.site == TraceSite(file: "WeirTests/TaskHolderTests.swift", line: line))
        }
        model.continuation?.resume()
        await task.value
    }

    @Test(arguments: [false, true]) func `a task that has ended is not said to run`(_ fails: Bool) async {
        let model = Model()
        model.task = Task.detached { @Sendable in
            if fails { throw Failed(model: model) }
            return model
        }
        _ = await model.task?.result
        let holder = Self.holder(of: model)
        // The memory of a task of another test may contain the address, too.
        #expect(holder == .taskResult || holder == .task([]), "\(String(describing: holder))")
        model.task = nil
    }
}
#endif
