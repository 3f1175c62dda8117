#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Threads of a run, which know their number.
enum RunningThread {
    /// The calling thread's number: 0 is the one that runs the program, 1 and up are the program's own. Others, such as
    /// those of Dispatch, get the next free number above 1000.
    static var number: Int {
        if let known = pthread_getspecific(key) { return Int(bitPattern: known) - 1 }
        let new = 1000 + others.next()
        take(new)
        return new
    }

    static func take(_ number: Int) { pthread_setspecific(key, UnsafeRawPointer(bitPattern: number + 1)) }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    private static let others = RelaxedCounter()

    private final class Work: Sendable {
        let number: Int
        let body: @Sendable () -> Void

        init(_ number: Int, _ body: @escaping @Sendable () -> Void) {
            self.number = number
            self.body = body
        }
    }

    /// A started thread, to be joined or detached once.
    struct Handle {
        fileprivate let thread: pthread_t

        func join() { pthread_join(thread, nil) }
        func detach() { pthread_detach(thread) }
    }

    /// Starts a thread.
    static func start(_ number: Int, _ body: @escaping @Sendable () -> Void) -> Handle {
        let work = Unmanaged.passRetained(Work(number, body)).toOpaque()
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let result = pthread_create(
            &thread, nil,
            { opaque in
                let opaque: UnsafeMutableRawPointer? = opaque
                guard let opaque else { return nil }
                let work = Unmanaged<Work>.fromOpaque(opaque).takeRetainedValue()
                RunningThread.take(work.number)
                ThreadStacks.begin()
                work.body()
                ThreadStacks.end()
                return nil
            }, work)
        guard result == 0 else { Self.giveUp("error \(result)") }
        #if canImport(Darwin)
        guard let thread else { Self.giveUp("the system gave none") }
        #endif
        return Handle(thread: thread)
    }

    /// A run that lacks one of its threads proves nothing.
    private static func giveUp(_ reason: String) -> Never {
        let sentence = "weir-bench: no thread could be started: \(reason); raise the limit of processes\n"
        _ = sentence.withCString { write(2, $0, strlen($0)) }
        exit(1)
    }
}
