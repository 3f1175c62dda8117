import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Runs a suite ahead of others.
///
/// For tests that expect an exit: otherwise the step that reaps their child queues behind all tests that run in parallel, and until
/// then Swift Testing polls the system without a pause. Not for long tests: what runs ahead would wait for these.
public struct AheadTrait: SuiteTrait, TestScoping {
    /// Runs the suite, with its tests, at a high priority, which has a queue and threads of its own.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing run: @Sendable () async throws -> Void
    ) async throws {
        TasksWithoutParent.runAhead
        try await withoutActuallyEscaping(run) { run in
            try await Task(priority: .high, operation: run).value
        }
    }
}

extension Trait where Self == AheadTrait {
    /// Runs the suite ahead of others.
    public static var ahead: Self { AheadTrait() }
}

/// Tasks that a test, or Weir, starts by `Task.detached`: they do not inherit the priority of the suite. A test that waits for one
/// would wait until all tests that run in parallel have had their turn: these queue as well, each as a child of its suite's task.
/// Children of such a task do not run ahead: a test that has some gives the task a priority.
private enum TasksWithoutParent {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    /// Lets them run ahead, too, from the first use on. Does nothing where the runtime has no such hook.
    static let runAhead: Void = {
        guard let hook = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook") else { return }
        hook.assumingMemoryBound(to: Hook?.self).pointee = { job, enqueue in
            // The flags of a job, in the runtime's ABI: its kind, 0 for a task, its priority, and whether it is a child.
            let flags = unsafeBitCast(job, to: UnsafeMutableRawPointer.self)
                .advanced(by: 4 * MemoryLayout<Int>.size).assumingMemoryBound(to: UInt32.self)
            let (kind, priority, isChild) = (flags.pointee & 0xFF, flags.pointee >> 8 & 0xFF, flags.pointee >> 24 & 1)
            if kind == 0, isChild == 0, priority == UInt32(TaskPriority.medium.rawValue) {
                flags.pointee = flags.pointee & ~0xFF00 | UInt32(TaskPriority.high.rawValue) << 8
            }
            enqueue(job)
        }
    }()
}
