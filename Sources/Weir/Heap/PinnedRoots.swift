#if Recording
import CWeirCore
import WeirRecording

/// The live objects of a recording, kept alive for a walk by one strong reference each, which is recorded as the pin.
///
/// Tracked objects come first, then nodes, then subscriptions, each in the order of their ids.
struct PinnedRoots {
    private(set) var roots: [HeapRoot] = []
    /// Tracked objects by id.
    private(set) var tracked: [UInt32: TrackedObject] = [:]

    /// In a frame of its own, so that only the pins remain afterwards.
    @inline(never)
    init(session: UInt32) {
        guard session != 0 else { return }
        Registry.shared.forEachTracked(of: session) { tracked, object, code in
            let id = TraceCode.decode(code)
            self.tracked[id] = tracked
            let address = UInt(bitPattern: Unmanaged.passRetained(object).toOpaque())
            var root = HeapRoot(address: address, pins: 1, tag: HeapProbe.tag(.object(id)))
            root.weakPins = 1
            root.wantsCaptures = tracked.isExpected(in: session)
            if #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) {
                root.secrecy = ObservedClasses.shared.secrecy(of: type(of: object))
            }
            roots.append(root)
        }
        LiveRegistry.shared.forEach(of: session) { entry in
            guard let object = UnsafeMutableRawPointer(bitPattern: entry.address), weir_try_retain(object) else {
                return
            }
            let id = TraceCode.decode(entry.code)
            let identity = entry.kind == .node ? SnapshotObject.Identity.node(id) : .subscription(id)
            var root = HeapRoot(
                address: entry.address, pins: 1, tag: HeapProbe.tag(identity), isHandler: entry.kind == .handler,
                wantsHolder: entry.kind != .edge)
            let holder = Unmanaged<AnyObject>.fromOpaque(object).takeUnretainedValue() as? any SecretHolder
            if holder?.holdsSecret == true { root.secrecy = .everything }
            roots.append(root)
        }
        roots.sort { $0.tag < $1.tag }
    }

    /// Whether a recording knows an object that is alive, or was a moment ago.
    static func areThere(session: UInt32) -> Bool {
        session != 0 && (LiveRegistry.shared.knowsAny(of: session) || Registry.shared.tracksAny)
    }

    /// Releases the pins; this may release the last reference to an object.
    func unpin() {
        for root in roots {
            guard let object = UnsafeMutableRawPointer(bitPattern: root.address) else { continue }
            Unmanaged<AnyObject>.fromOpaque(object).release()
        }
    }
}

/// An object that holds values.
private protocol SecretHolder: AnyObject {
    /// Whether the values are private.
    var holdsSecret: Bool { get }
}

extension Node: SecretHolder {
    fileprivate var holdsSecret: Bool { isPrivate }
}

extension Sink: SecretHolder {
    fileprivate var holdsSecret: Bool { isOfSecret || originIsPrivate }
}
#endif
