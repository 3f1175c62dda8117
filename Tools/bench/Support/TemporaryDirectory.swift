import Foundation

/// A directory for traces; `remove` deletes it with everything in it.
final class TemporaryDirectory {
    private let url: URL

    /// - Parameters:
    ///   - parent: where to make it; nil for the system's temporary directory. It should be on a real disk.
    ///   - suffix: distinguishes several directories of one process.
    init(in parent: String?, suffix: String = "traces") throws {
        let place = parent.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        url = place.appendingPathComponent(
            "weir-bench-\(ProcessInfo.processInfo.processIdentifier)-\(suffix)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    var folder: String { url.path }

    /// The path of a file in it.
    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    func removeFile(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

    func remove() throws { try FileManager.default.removeItem(at: url) }

    /// The bytes of a file in it.
    func size(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
        return (attributes[.size] as? NSNumber)?.intValue ?? 0
    }
}
