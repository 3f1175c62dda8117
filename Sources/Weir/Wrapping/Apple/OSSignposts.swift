#if Recording && canImport(os)
import WeirRecording
import os

// No CI compiles this file: there is no `os` where Weir is built. A test checks its types against stand-ins.

/// Shows turns and refreshes in Instruments, as points of interest of the subsystem `weir`.
final class OSSignposts: SignpostSink {
    static let shared = OSSignposts()
    private let signposter = OSSignposter(subsystem: "weir", category: "PointsOfInterest")

    var isEnabled: Bool { signposter.isEnabled }

    func began(_ kind: SignpostKind, _ name: String, cause: String?) -> AnyObject {
        // Intervals of one name overlap, on one thread and on several.
        let id = signposter.makeSignpostID()
        switch (kind, cause) {
        case (.turn, nil):
            return signposter.beginInterval("Turn", id: id, "\(name, privacy: .public)")
        case (.turn, let cause?):
            return signposter.beginInterval(
                "Turn", id: id, "\(name, privacy: .public), caused by \(cause, privacy: .public)")
        case (.refresh, nil):
            return signposter.beginInterval("Refresh", id: id, "\(name, privacy: .public)")
        case (.refresh, let cause?):
            return signposter.beginInterval(
                "Refresh", id: id, "\(name, privacy: .public), caused by \(cause, privacy: .public)")
        }
    }

    func ended(_ kind: SignpostKind, _ state: AnyObject, unchanged: Bool) {
        guard let state = state as? OSSignpostIntervalState else { return }
        switch (kind, unchanged) {
        case (.turn, _): signposter.endInterval("Turn", state)
        case (.refresh, false): signposter.endInterval("Refresh", state)
        case (.refresh, true): signposter.endInterval("Refresh", state, "unchanged")
        }
    }
}
#endif
