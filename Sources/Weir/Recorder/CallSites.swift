#if Recording
import CWeirCore
import WeirRecording

/// The places in the program that write nodes, found by the calls that are open on the writing thread.
///
/// The writing function is the innermost one that is neither Weir's, nor a setter, nor code of the libraries that pass values on.
/// If a delivery of Weir stands before it, Weir itself writes: an operator, a combiner, a binding. Then there is no call site.
///
/// An address is looked up once in a process, in the symbols and lines of its file: up to some milliseconds, under a lock. Memory
/// grows with the addresses. After that a write costs some hundred nanoseconds more, of which each open call up to the writing
/// function takes about fifty.
final class CallSites: @unchecked Sendable {
    /// What is known of the code at a return address.
    private enum Code {
        /// It passes values on.
        case passing
        /// It delivers: the writes inside are Weir's own.
        case delivering
        case writing(Site)
    }

    private struct Site {
        var function: String?
        var file: String?
        var line: Int
        /// See `DefinitionIDs`; never freed.
        var word: UnsafeMutablePointer<UInt64>
    }

    private static let shared = CallSites()

    // The lock guards all of its state.
    private let lock = SystemLock()
    private lazy var symbols = HeapSymbols()
    private var codes: [UInt: Code] = [:]

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

    /// Records that the program writes `node`, before the event that comes of it. Call it from the function that is to record
    /// that event.
    ///
    /// - Parameter isDelivering: whether that function is one of those that deliver.
    static func note(writeOf node: Node, isDelivering: Bool) {
        guard !node.isLeftOut else { return }
        withUnsafeTemporaryAllocation(of: UInt.self, capacity: most) { addresses in
            guard let first = addresses.baseAddress else { return }
            let count = Int(weir_return_addresses(first, Int32(most)))
            let calls = UnsafeBufferPointer(start: first, count: count)
            guard let site = shared.site(of: calls, isDelivering: isDelivering) else { return }
            let log = ThreadLog()
            guard log.isReady(weir_recording()) else { return }
            let node = node.code(log)
            let code = log.define(callSiteIn: site.function, file: site.file, line: site.line, word: site.word)
            if node != 0, code != 0, log.isReady(weir_recording()) { log.written(node, at: code) }
        }
    }

    private func site(of calls: UnsafeBufferPointer<UInt>, isDelivering: Bool) -> Site? {
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
        let place = symbols.line(ofCallReturningTo: address)
        if caller.module == nil, place?.file.hasSuffix(".swift") != true { return .passing }
        let file = place.map { place in caller.module.map { "\($0)/\(place.file)" } ?? place.file }
        let word = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
        word.initialize(to: 0)
        return .writing(Site(function: name, file: file, line: place?.line ?? 0, word: word))
    }
}

extension Node {
    /// Records the program's line that writes this node; see `CallSites`.
    @usableFromInline @inline(never)
    final func noteCallSite(isDelivering: Bool) {
        // An operator's emissions are Weir's.
        guard kind.rawValue < NodeKind.map.rawValue, kind != .source else { return }
        CallSites.note(writeOf: self, isDelivering: isDelivering)
    }
}
#endif
