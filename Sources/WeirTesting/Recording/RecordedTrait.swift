#if canImport(Testing)
    import Foundation
    import Testing
    import Weir

    /// Records a test, or each test of a suite, into a trace of its own: `@Suite(.recorded(in: "traces")) struct CartTests { … }`.
    ///
    /// The trace has the names of the test's file and function, such as `traces/CartTests.closing.weir`, so that `weir check traces`
    /// says which test shows a finding. A further test or test case of that name gets a number: `CartTests.closing-2.weir`.
    ///
    /// A process has one recorder. Recorded tests therefore run one after the other. The trace also contains what other tests do
    /// meanwhile; `swift test --no-parallel` keeps them apart. While something else records the process, such as `WEIR_TRACE`, the
    /// trait does nothing.
    public struct RecordedTrait: SuiteTrait, TestTrait, TestScoping {
        let folder: String
        let values: TraceValues

        /// Applies to each test of a suite, not to the suite.
        public var isRecursive: Bool { true }

        /// Records a test.
        ///
        /// - Throws: `TraceWriterError` if the trace cannot be written, the error of the file system if there is no such folder and
        ///   it cannot be made, and what the test throws.
        public func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
        ) async throws {
            guard testCase != nil else { return try await function() }
            let path = await RecordingTurn.shared.begin(RecordedTrait.name(of: test), in: folder)
            do {
                let isRecorder = !Trace.isRecording
                if isRecorder {
                    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                    try Trace.start(writingTo: path, values: values)
                }
                defer { if isRecorder { Trace.stop() } }
                try await function()
            } catch {
                await RecordingTurn.shared.end()
                throw error
            }
            await RecordingTurn.shared.end()
        }

        /// The name of a test's file without its extension, and that of its function without arguments.
        private static func name(of test: Test) -> String {
            let file = test.sourceLocation.fileName.prefix { $0 != "." }
            let function = test.name.filter { $0 != "`" }.prefix { $0 != "(" }
            let characters = "\(file).\(function)".map { $0.isLetter || $0.isNumber || "._-".contains($0) ? $0 : "-" }
            return String(characters.prefix(100))
        }
    }

    extension Trait where Self == RecordedTrait {
        /// Records each test into a file of its own in a folder, which is made if it is missing.
        ///
        /// - Parameter values: How much of each value is recorded.
        public static func recorded(in folder: String, values: TraceValues = .scalars) -> Self {
            RecordedTrait(folder: folder, values: values)
        }
    }
#endif
