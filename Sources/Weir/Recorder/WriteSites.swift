#if Recording
import CWeirCore
import WeirRecording

/// The places in the program that write nodes, found by the calls that are open on the writing thread.
///
/// The writing function is the innermost one that is neither Weir's, nor a setter, nor code of the libraries that pass values on.
/// If a delivery of Weir stands before it, Weir itself writes: an operator, a combiner, a binding. Then there is no write site.
///
/// An address is looked up once in a process, in the symbols and lines of its file: up to some milliseconds, under a lock. Memory
/// grows with the addresses. After that a write costs some hundred nanoseconds more, of which each open call up to the writing
/// function takes about fifty.
final class WriteSites: @unchecked Sendable {
    /// The part that the code at a return address plays in a write.
    private enum Code {
        /// It passes values on.
        case passing
        /// It delivers: the writes inside are Weir's own.
        case delivering
        case writing(WriteSite)
    }

    private static let shared = WriteSites()

    // The lock guards all of its state.
    private let lock = SystemLock()
    private lazy var symbols = HeapSymbols()
    private var codes: [UInt: Code] = [:]
    /// The last writes of open batches.
    private var batched: [BatchedNode: BatchedWrite] = [:]

    private struct BatchedNode: Hashable {
        let node: ObjectIdentifier
        let thread: UInt

        init(_ node: Node) {
            self.node = ObjectIdentifier(node)
            thread = UInt(bitPattern: weir_thread_current())
        }
    }

    private struct BatchedWrite {
        let site: WriteSite?
        /// Whether the batch is over, and the node emits its value.
        var isDelivered = false
    }

    private static let most = 64
    private static let libraries: Set = [
        "Weir", "WeirTrace", "WeirHeap", "WeirRecording", "WeirTesting", "Swift", "_Concurrency", "_StringProcessing",
        "Observation", "Synchronization", "Dispatch", "Foundation", "FoundationEssentials", "Combine", "OpenCombine",
        "SwiftUI", "SwiftUICore", "UIKit", "UIKitCore", "AppKit", "CoreFoundation",
    ]
    /// The functions of Weir that are open while a delivery, or what waited for one, runs. None of them is inlined.
    private static let deliveries: Set = ["deliverInTask", "emitInTask", "deliverBacklog", "settle"]

    /// Reads the symbols of the program, so that the first writes need not. Takes some milliseconds for each megabyte.
    static func prepare() { shared.lock.withLock { shared.symbols.prepareForCallers() } }

    /// The place in the program that is writing now; nil: Weir itself writes, or the place is unknown.
    ///
    /// - Parameter isDelivering: whether the caller is one of the functions that deliver.
    static func current(isDelivering: Bool) -> WriteSite? {
        withUnsafeTemporaryAllocation(of: UInt.self, capacity: most) { addresses in
            guard let first = addresses.baseAddress else { return nil }
            let count = Int(weir_return_addresses(first, Int32(most)))
            return shared.site(of: UnsafeBufferPointer(start: first, count: count), isDelivering: isDelivering)
        }
    }

    // MARK: Writes in a batch

    /// Keeps the place of a write in a batch of this thread for the emission at its end.
    fileprivate static func keep(_ site: WriteSite?, of node: Node) {
        shared.lock.withLock { shared.batched[BatchedNode(node)] = BatchedWrite(site: site) }
    }

    /// Calls `deliver`, which emits the last value that a batch of this thread wrote.
    static func delivering(_ node: Node, _ deliver: () -> Void) {
        shared.lock.withLock { shared.batched[BatchedNode(node)]?.isDelivered = true }
        deliver()
        forget(node)
    }

    /// A batch of this thread is over.
    static func forget(_ node: Node) {
        _ = shared.lock.withLock { shared.batched.removeValue(forKey: BatchedNode(node)) }
    }

    /// The place of the write whose value a batch emits now: nil: it emits none; `.some(nil)`: the place is unknown.
    fileprivate static func delivered(_ node: Node) -> WriteSite?? {
        shared.lock.withLock {
            guard let write = shared.batched[BatchedNode(node)], write.isDelivered else { return nil }
            shared.batched[BatchedNode(node)] = nil
            return .some(write.site)
        }
    }

    private func site(of calls: UnsafeBufferPointer<UInt>, isDelivering: Bool) -> WriteSite? {
        lock.withLock {
            var isOwn = isDelivering
            for address in calls {
                switch code(at: address) {
                case .passing: continue
                case .delivering where isOwn: isOwn = false
                case .delivering: return nil
                case .writing(let site): return site
                }
            }
            return nil
        }
    }

    private func code(at address: UInt) -> Code {
        if let known = codes[address] { return known }
        let found = lookUp(address)
        codes[address] = found
        return found
    }

    private func lookUp(_ address: UInt) -> Code {
        guard let caller = symbols.caller(returningTo: address), let name = caller.name else { return .passing }
        if let module = caller.module {
            if module == "Weir", let last = name.split(separator: ".").last,
                Self.deliveries.contains(String(last.prefix { $0 != "(" }))
            {
                return .delivering
            }
            if caller.isSetter || Self.libraries.contains(module) { return .passing }
        }
        var (file, line): (String?, Int) = (nil, 0)
        switch symbols.line(ofCallReturningTo: address) {
        case .known(let name, let number): (file, line) = (name, number)
        case .missing: return .passing
        case .unknown: break
        }
        // C code, or the program's entry.
        if caller.module == nil, file?.hasSuffix(".swift") != true { return .passing }
        if let module = caller.module { file = file.map { "\(module)/\($0)" } }
        let word = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
        word.initialize(to: 0)
        return .writing(WriteSite(function: name, file: file, line: line, word: word))
    }
}

/// A place in the program that writes a node.
struct WriteSite {
    var function: String?
    var file: String?
    var line: Int
    /// See `DefinitionIDs`; never freed.
    fileprivate var word: UnsafeMutablePointer<UInt64>

    /// Records that it writes `node`, before the event that comes of it.
    func record(writeOf node: Node) {
        let log = ThreadLog()
        guard !node.isLeftOut, log.isReady(weir_recording()) else { return }
        let node = node.code(log)
        let code = log.define(writeSiteIn: function, file: file, line: line, word: word)
        if node != 0, code != 0, log.isReady(weir_recording()) { log.written(node, at: code) }
    }
}

extension Node {
    /// Records the place in the program that writes this node; see `WriteSites`.
    @usableFromInline @inline(never)
    final func recordWriteSite(isDelivering: Bool) { recordWriteSite(isDelivering: isDelivering, isBatched: false) }

    /// - Parameter isBatched: whether a batch keeps the value that is written.
    final func recordWriteSite(isDelivering: Bool, isBatched: Bool) {
        // Weir itself makes the emissions of operators, and writes of observed properties are recorded when they are over.
        guard kind.rawValue < NodeKind.map.rawValue, kind != .source, technique != .observation else { return }
        // A batch emits or suppresses its last value at its end, where no write is.
        if !isBatched, let site = WriteSites.delivered(self) {
            site?.record(writeOf: self)
            return
        }
        let site = WriteSites.current(isDelivering: isDelivering)
        if isBatched { WriteSites.keep(site, of: self) }
        site?.record(writeOf: self)
    }
}
#endif
