import CWeir

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A mutex with a condition, for the slow paths; its memory never moves.
package final class SystemLock: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        pthread_cond_destroy(condition)
        mutex.deallocate()
        condition.deallocate()
    }

    package func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        weir_mutex_lock(mutex)
        defer { weir_mutex_unlock(mutex) }
        return try body()
    }

    /// For what begins in one function and ends in another.
    package func lock() { weir_mutex_lock(mutex) }
    package func unlock() { weir_mutex_unlock(mutex) }

    /// Waits for `signal()`; the calling thread must hold the lock.
    package func wait() { weir_condition_wait(condition, mutex) }

    package func signal() { pthread_cond_signal(condition) }

    package func broadcast() { pthread_cond_broadcast(condition) }

    /// Lets others in while `body` runs; the calling thread must hold the lock, and holds it again afterwards.
    package func withoutLock<Result>(_ body: () -> Result) -> Result {
        weir_mutex_unlock(mutex)
        defer { weir_mutex_lock(mutex) }
        return body()
    }

    /// Makes the lock free again in a forked child, whose other threads (one may have held it) are gone.
    package func resetInForkedChild() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }
}
