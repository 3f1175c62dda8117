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
    /// The era in which it was taken; 0: it is free. Behind it the forked child's era to which the condition belongs.
    private let holder = UnsafeMutablePointer<UInt32>.allocate(capacity: 2)

    package init() {
        holder.initialize(repeating: 0, count: 2)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        pthread_cond_destroy(condition)
        mutex.deallocate()
        condition.deallocate()
        holder.deallocate()
    }

    package func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock()
        defer { unlock() }
        return try body()
    }

    /// For what begins in one function and ends in another.
    package func lock() {
        weir_enter_inside()
        if _slowPath(weir_era() > 1) { lockInForkedChild() } else { weir_mutex_lock(mutex) }
        weir_store_u32(holder, weir_era())
    }

    package func unlock() {
        weir_store_u32(holder, 0)
        weir_mutex_unlock(mutex)
        weir_leave_inside()
    }

    /// Waits for `signal()`; the calling thread must hold the lock.
    package func wait() {
        weir_store_u32(holder, 0)
        weir_condition_wait(condition, mutex)
        weir_store_u32(holder, weir_era())
    }

    package func signal() { pthread_cond_signal(condition) }

    package func broadcast() { pthread_cond_broadcast(condition) }

    /// Lets others in while `body` runs; the calling thread must hold the lock, and holds it again afterwards.
    package func withoutLock<Result>(_ body: () -> Result) -> Result {
        unlock()
        defer { lock() }
        return body()
    }

    /// A thread of the parent may have held the lock when the child was forked: it will never give it back.
    private func lockInForkedChild() {
        var tries = 0
        while pthread_mutex_trylock(mutex) != 0 {
            let former = weir_load_u32(holder)
            tries += 1
            // Between taking the lock and saying so it says that it is free, but not for long.
            let isLeft = former != 0 ? former != weir_era() : tries > 100_000
            if isLeft, weir_compare_exchange_u32(holder, former, weir_era()) { pthread_mutex_init(mutex, nil) }
            sched_yield()
        }
        // Whoever signals a condition waits for threads that were about to wake up, and those of the parent never will.
        if holder[1] != weir_era() {
            pthread_cond_init(condition, nil)
            holder[1] = weir_era()
        }
    }
}
