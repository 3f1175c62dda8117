#if canImport(Glibc)
import Testing
import WeirHeap

/// Tasks that hold objects: what they run, or that they have ended.
struct TaskHolderTests {
    private final class Model: @unchecked Sendable {
        var task: Task<Model, any Error>?
        var continuation: CheckedContinuation<Void, Never>?
    }

    private struct Failed: Error {
        let model: Model
    }

    private static func holder(of model: Model) -> HeapHolder? {
        var options = HeapWalker.Options()
        options.holderSearch = .everything
        let report = HeapWalker().report(from: [HeapRoot(address: address(of: model), tag: 1)], options: options)
        return report.objects.first { $0.root == 1 }?.outsideHolder
    }

    @Test func `a task that waits is known by what it runs`() async throws {
        let model = Model()
        let line = #line + 1
        let task = Task.detached { @Sendable in
            await withCheckedContinuation { model.continuation = $0 }
            use(model)
        }
        while model.continuation == nil { await Task.yield() }
        let holder = Self.holder(of: model)
        guard case .task(let works) = holder else {
            Issue.record("\(String(describing: holder))")
            return
        }
        // The memory of a task of another test may contain the address, too.
        if let work = works.first {
            let file = try #require(work.function.file)
            #expect(work.function.kind == .closure && work.maker == work.function && works.count == 1)
            #expect(file.hasSuffix("TaskHolderTests.swift") && work.function.line == line)
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
