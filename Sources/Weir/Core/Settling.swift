import CWeirCore
import WeirRecording

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The combiners and written observables of one thread that wait for a batch or a turn to end.
///
/// **A turn** is everything that one write causes on its thread. It begins with a `batch`, or with a write or emission outside of
/// any delivery, and ends when that has been delivered. Then the combiners with the strategy `.settled` whose inputs have updated
/// evaluate, still inside the turn:
/// - Lowest first; the height of a combiner is one more than that of its highest input. So each combiner evaluates once, after
///   all inputs that will change in this turn: no glitch.
/// - A dependency outside of the graph (a handler that writes, an input that depends on the combiner itself) may update an input
///   of a combiner that has already evaluated. That combiner then evaluates again, before any higher one.
/// - A combiner that a feedback loop evaluates more than `mostRuns` times in a turn is left as it is, and a trace says 'unsettled'.
/// - Each thread has its own turns. Work that a scheduler runs is another turn.
/// - If a handler runs the main run loop, waiting combiners settle each time the loop turns: see `MainRunLoop`.
///
/// Made when first needed on a thread; lives as long as the thread.
@usableFromInline
final class Settling {
    /// Holds its evaluation without reference counting of its own, so that moving it costs nothing.
    private struct Waiting {
        /// The height, and the order of arrival (40 bits).
        var rank: UInt64
        var evaluation: Unmanaged<Evaluation>
    }

    static let mostRuns: UInt64 = 1000

    /// A binary heap: no element has a lower rank than the element at half its index.
    @exclusivity(unchecked) private var waiting: [Waiting] = []
    @exclusivity(unchecked) private var arrivals: UInt64 = 0
    /// The observables that the batch has written, in the order of first writes.
    @exclusivity(unchecked) private var written: [any BatchedObservable] = []
    @exclusivity(unchecked) private var writtenIDs: Set<ObjectIdentifier> = []
    /// Used by this thread only.
    private let thread = UInt64(UInt(bitPattern: weir_thread_current()))
    /// Distinguishes this turn from other turns, most likely also from those of other threads.
    @exclusivity(unchecked) private var turn = UInt64(UInt(bitPattern: weir_thread_current())) >> 6 & 0xFFFF_FFFF

    // MARK: The calling thread

    /// Runs `body` with the instance of the calling thread; without reference counting.
    @inline(__always)
    static func ofThisThread<Result>(_ body: (Settling) -> Result) -> Result {
        guard let known = weir_thread_current().pointee.settling else { return body(make()) }
        return Unmanaged<Settling>.fromOpaque(known)._withUnsafeGuaranteedRef(body)
    }

    @inline(never)
    private static func make() -> Settling {
        let new = Unmanaged.passRetained(Settling())
        weir_thread_current().pointee.settling = new.toOpaque()
        pthread_setspecific(key, new.toOpaque())
        return new.takeUnretainedValue()
    }

    /// The system calls its destructor when the thread ends.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { value in
            let opaque: UnsafeMutableRawPointer? = value
            guard let opaque else { return }
            weir_thread_current().pointee.settling = nil
            Unmanaged<Settling>.fromOpaque(opaque).release()
        }
        return key
    }()

    /// Runs the waiting evaluations at the end of the turn.
    @usableFromInline @inline(never)
    static func settle() { ofThisThread { $0.run() } }

    // MARK: Evaluations

    /// Runs `evaluation` when the turn has settled; called inside a turn.
    func wait(_ evaluation: Evaluation) {
        let waitsOn = weir_load_u64(&evaluation.waitingThread)
        if waitsOn == thread { return }
        if waitsOn == 0 {
            weir_store_u64(&evaluation.waitingThread, thread)
        } else if waiting.contains(where: {
            $0.evaluation.toOpaque() == Unmanaged.passUnretained(evaluation).toOpaque()
        }) {
            // Another thread's turn has also updated its inputs: the mark belongs to that thread.
            return
        }
        arrivals &+= 1
        let rank = UInt64(evaluation.height) << 40 | arrivals & 0xFF_FFFF_FFFF
        var place = waiting.count
        waiting.append(Waiting(rank: rank, evaluation: .passRetained(evaluation)))
        while place > 0, waiting[(place - 1) / 2].rank > rank {
            waiting.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
        weir_turn_set(weir_turn_pending, true)
        if weir_turn_is_nested() && weir_on_main_thread() { _ = MainRunLoop.isWatched }
    }

    private func takeLowest() -> Evaluation? {
        if waiting.isEmpty { return nil }
        let lowest = waiting[0]
        let last = waiting.removeLast()
        var place = 0
        while !waiting.isEmpty {
            var child = 2 * place + 1
            if child + 1 < waiting.count, waiting[child + 1].rank < waiting[child].rank { child += 1 }
            guard child < waiting.count, waiting[child].rank < last.rank else {
                waiting[place] = last
                break
            }
            waiting[place] = waiting[child]
            place = child
        }
        return lowest.evaluation.takeRetainedValue()
    }

    private func run() {
        turn = (turn &+ 1) & 0xFFFF_FFFF
        while let evaluation = takeLowest() {
            if weir_load_u64(&evaluation.waitingThread) == thread { weir_store_u64(&evaluation.waitingThread, 0) }
            let runs = weir_load_u64(&evaluation.runs)
            let former = runs >> 32 == turn ? runs & 0xFFFF_FFFF : 0
            guard former < Self.mostRuns else {
                if weir_recording() != 0 { evaluation.combiner?.recordSuppressed(.unsettled) }
                continue
            }
            weir_store_u64(&evaluation.runs, turn << 32 | (former + 1))
            evaluation.evaluate()
        }
        weir_turn_set(weir_turn_pending, false)
    }

    // MARK: Batches

    /// Called when the batch has written `observable`.
    func hasWritten(_ observable: any BatchedObservable) {
        if writtenIDs.insert(ObjectIdentifier(observable)).inserted { written.append(observable) }
    }

    fileprivate func deliverWritten() {
        let written = written
        self.written = []
        writtenIDs = []
        // All are stored before the first is delivered: a combiner of several observables must not see a part of the batch.
        let writes = written.map { $0.storeBatched() }
        for case let (observable, write?) in zip(written, writes) { observable.deliverBatched(write) }
    }
}

/// Combines all writes in `body` into one turn: each observable delivers once, its last value, when the batch ends.
///
/// ```swift
/// batch {
///     model.posts.value = posts
///     model.allPostsLoaded.value = true
/// }
/// ```
/// Inside the batch, a written observable already has its new value; combiners of it do not. An observable whose final value
/// equals the one before the batch delivers nothing. Deliveries follow the order of first writes. Combiners with the strategy
/// `.settled` evaluate once, after all deliveries. A batch inside a batch is part of it; emitters emit at once. A batch covers
/// the calling thread only.
@discardableResult
public func batch<Result>(_ body: () throws -> Result) rethrows -> Result {
    if weir_turn_is(weir_turn_batch) { return try body() }
    #if Recording
    let hop = weir_recording() != 0 && weir_tasks_carry_causes() ? TaskHop(of: nil) : nil
    let frame = openRecordedBatch()
    do {
        let result = try body()
        closeBatch(frame, hop)
        return result
    } catch {
        closeBatch(frame, hop)
        throw error
    }
    #else
    openBatch()
    defer { closeBatch() }
    return try body()
    #endif
}

private func openBatch() {
    _ = weir_turn_begin()
    weir_turn_set(weir_turn_batch, true)
}

private func closeBatch() {
    weir_turn_set(weir_turn_batch, false)
    if weir_thread_current().pointee.settling != nil { Settling.ofThisThread { $0.deliverWritten() } }
    if weir_turn_must_settle() { Settling.settle() }
    weir_turn_end()
}

#if Recording
private func openRecordedBatch() -> RecordedFrame {
    openBatch()
    let log = ThreadLog()
    return weir_recording() != 0 && log.isReady(weir_recording()) ? log.batchBegan() : .none
}

private func closeBatch(_ frame: consuming RecordedFrame, _ hop: consuming TaskHop?) {
    closeBatch()
    frame.close()
    hop?.end()
}
#endif
