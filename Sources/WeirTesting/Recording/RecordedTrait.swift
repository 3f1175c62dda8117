#if canImport(Testing)
import Foundation
import Testing
import Weir

/// Records a test, or each test of a suite, into a trace of its own: `@Test(.recorded) func login() { … }`.
///
/// The trace has the names of the suite and the test, such as `CartTests.closing.weir`, so that `weir check` says which test
/// shows a finding. A further test or test case of that name gets a number: `CartTests.closing-2.weir`. If the test fails, the
/// trace is attached to it; `swift test --attachments-path FOLDER` saves attachments.
///
/// A process has one recorder. Recorded tests therefore run one after the other, and a time limit includes the wait. The trace
/// also contains the work of other tests that run at the same time; `swift test --no-parallel` keeps them apart. While
/// something else records the process, such as `WEIR_TRACE` or the trait of the suite, the trait does nothing.
public struct RecordedTrait: SuiteTrait, TestTrait, TestScoping {
    let folder: String?
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
        try await RecordingTurn.hold {
            let (suite, name) = RecordedTrait.names(of: test)
            guard let trace = try TestTrace(of: suite, name, in: folder, values: values) else {
                return try await function()
            }
            let failure = TestFailure()
            do {
                defer { Trace.stop() }
                try await failure.watch(test, testCase, function)
            } catch {
                try attach(trace, to: test)
                throw error
            }
            if failure.hasHappened { try attach(trace, to: test) }
        }
    }

    private func attach(_ trace: TestTrace, to test: Test) throws {
        let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: trace.path)))
        Attachment.record(bytes, named: trace.fileName, sourceLocation: test.sourceLocation)
    }

    /// The names of a test's suites, or of its file if it has none, and that of its function without arguments.
    private static func names(of test: Test) -> (suite: String, test: String) {
        let suites = test.id.nameComponents.dropLast().map(plain)
        let function = test.name.lastIndex(of: "(").map { test.name[..<$0] } ?? test.name[...]
        let file = test.sourceLocation.fileName.prefix { $0 != "." }
        return (suites.isEmpty ? String(file) : suites.joined(separator: "."), plain(String(function)))
    }

    /// A name without the backticks of a raw identifier.
    private static func plain(_ name: String) -> String { name.filter { $0 != "`" } }
}

/// Whether a test has recorded an issue that lets it fail.
private final class TestFailure: @unchecked Sendable {
    private let lock = NSLock()
    private var happened = false

    var hasHappened: Bool { lock.withLock { happened } }

    func watch(
        _ test: Test, _ testCase: Test.Case?, _ function: @Sendable () async throws -> Void
    ) async throws {
        let observer: IssueHandlingTrait = .compactMapIssues { issue in
            if TestFailure.isFailure(issue) { self.lock.withLock { self.happened = true } }
            return issue
        }
        try await observer.provideScope(for: test, testCase: testCase, performing: function)
    }

    private static func isFailure(_ issue: Issue) -> Bool {
        // Earlier versions of Swift Testing do not say whether an issue is known.
        #if compiler(>=6.3)
        issue.isFailure
        #else
        true
        #endif
    }
}

extension Trait where Self == RecordedTrait {
    /// Records each test into a file of its own in the folder `WEIR_TRACES`, or else in the temporary directory.
    ///
    /// Without `WEIR_TRACES`, a sentence on standard error names the folder, once.
    public static var recorded: Self { RecordedTrait(folder: nil, values: .scalars) }

    /// Records each test into a file of its own in a folder, which is made if it is missing.
    ///
    /// - Parameters:
    ///   - folder: nil: as ``Testing/Trait/recorded``.
    ///   - values: How much of each value is recorded.
    public static func recorded(in folder: String? = nil, values: TraceValues = .scalars) -> Self {
        RecordedTrait(folder: folder, values: values)
    }
}
#endif
