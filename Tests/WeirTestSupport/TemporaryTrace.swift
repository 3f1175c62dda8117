import Foundation

/// A path for a trace, in its own folder that is removed with this object.
public final class TemporaryTrace: Sendable {
    /// The folder, which holds nothing else.
    public let folder: String
    /// Where the trace is to be.
    public let path: String

    /// Makes the folder.
    ///
    /// - Parameter isQuick: whether it may be in memory instead of on a disk.
    public init(_ name: String = "test.weir", isQuick: Bool = false) throws {
        folder = (isQuick ? quickFolder : NSTemporaryDirectory()) + "weir-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        path = folder + "/" + name
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }
}
