import Foundation
import Weir

extension Trace {
    /// Records `body`, and returns the recording for expectations.
    ///
    /// ```swift
    /// let trace = try Trace.withRecording {
    ///     Trace.stimulus("tap Login") { view.loginTouched.emit() }
    /// }
    /// #expect(try trace.refreshes(of: "LoginView.button") <= 4)
    /// trace.expectNoRedundancy()
    /// trace.expectCause(of: "LoginViewModel.loginEnabled", is: "tap Login")
    /// ```
    /// A process has one recorder. The call waits, and blocks its thread, while another test runs this function; the recording
    /// also contains what other tests do at the same time, so put such tests into a `.serialized` suite. The file is removed
    /// with the result.
    ///
    /// - Throws: `TraceWriterError`, also if something else records the process, such as a test with the trait `.recorded`, and what
    ///   `body` throws.
    public static func withRecording(values: TraceValues = .scalars, _ body: () throws -> Void) throws -> RecordedTrace
    {
        try RecordingTurn.holdIfSynchronous {
            let trace = RecordedTrace(at: newPath)
            try start(writingTo: trace.path, values: values)
            defer { stop() }
            try body()
            return trace
        }
    }

    /// The same for an asynchronous `body`. It waits while another recorded test runs; in a recorded test it throws.
    @_disfavoredOverload
    public static func withRecording(
        values: TraceValues = .scalars, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Void
    ) async throws -> RecordedTrace {
        try await RecordingTurn.hold {
            let trace = RecordedTrace(at: newPath)
            try start(writingTo: trace.path, values: values)
            defer { stop() }
            try await body()
            return trace
        }
    }

    private static var newPath: String {
        FileManager.default.temporaryDirectory.appendingPathComponent("weir-\(UUID().uuidString).weir").path
    }
}
