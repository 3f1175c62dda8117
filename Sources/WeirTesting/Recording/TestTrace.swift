import Foundation
import Weir
import WeirTrace

/// The recording of one test, into a file of its own.
struct TestTrace {
    let path: String

    /// Starts it; nil: something else records this process, such as `WEIR_TRACE` or a recorded test around this one.
    ///
    /// - Parameter folder: made if it is missing; nil: `WEIR_TRACES`, or else a folder in the temporary directory.
    /// - Throws: `TraceWriterError` if the trace cannot be written, the error of the file system if there is no such folder and it
    ///   cannot be made.
    init?(of suite: String, _ test: String, in folder: String?, values: TraceValues) throws {
        guard !Trace.isRecording else { return nil }
        let folder = try folder ?? TestTrace.standardFolder.get()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        path = TestTrace.names.next(TestTrace.safe(suite.isEmpty ? test : "\(suite).\(test)"), in: folder)
        do { try Trace.start(writingTo: path, values: values) } catch TraceWriterError.alreadyRecording { return nil }
    }

    var fileName: String { (path as NSString).lastPathComponent }

    /// A file name with the letters of a name, short enough for every file system.
    static func safe(_ name: String) -> String {
        var result = ""
        for character in name {
            let next = character.isLetter || character.isNumber || "._-".contains(character) ? character : "-"
            if result.utf8.count + next.utf8.count > 200 { break }
            result.append(next)
        }
        return result
    }

    private static let names = TraceNames()

    /// The folder of `WEIR_TRACES`, or a new one in the temporary directory, which is named on standard error once.
    private static let standardFolder = Result<String, any Error> {
        if let folder = ProcessInfo.processInfo.environment["WEIR_TRACES"], !folder.isEmpty { return folder }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("weir-traces-\(UUID().uuidString)")
        Complaint.say("the traces of recorded tests are in \(folder.path); WEIR_TRACES names another folder")
        return folder.path
    }
}

/// Gives each trace of the process a name of its own.
private final class TraceNames: @unchecked Sendable {
    private let lock = NSLock()
    private var counts: [String: Int] = [:]

    func next(_ name: String, in folder: String) -> String {
        lock.lock()
        defer { lock.unlock() }
        let path = "\(folder)/\(name)"
        // A file system may ignore case.
        let count = counts[path.lowercased(), default: 0] + 1
        counts[path.lowercased()] = count
        return path + (count == 1 ? "" : "-\(count)") + ".weir"
    }
}
