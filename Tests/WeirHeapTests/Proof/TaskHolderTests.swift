#if canImport(Glibc)
import Testing
import WeirHeap

/// The names of tasks that hold objects: what they run, or that they have ended.
struct TaskHolderTests {
    private final class Model: @unchecked Sendable {
        var task: Task<Model, any Error>?
        var continuation: CheckedContinuation<Void, Never>?
    }

    private struct Failed: Error {
        let model: Model
    }

    private static func holder(of model: Model) -> String? {
        var options = HeapWalker.Options()
        options.holderSearch = .everything
        let report = HeapWalker().report(from: [HeapRoot(address: address(of: model), tag: 1)], options: options)
        return report.objects.first { $0.root == 1 }?.outsideName
    }

    @Test func `a task that waits has the name of what it runs`() async {
        let model = Model()
        let task = Task.detached { @Sendable in
            await withCheckedContinuation { model.continuation = $0 }
            use(model)
        }
        while model.continuation == nil { await Task.yield() }
        #expect(Self.holder(of: model)?.hasPrefix("a task") == true)
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
        let name = Self.holder(of: model)
        // The memory of a task of another test may contain the address, too.
        let names = ["the result of a task that has ended, it seems", "a task, it seems"]
        #expect(names.contains(name ?? ""), "\(name ?? "no name")")
        model.task = nil
    }
}
#endif
