#if canImport(XCTest)
import Foundation
import Weir
import WeirTrace
import XCTest

extension XCTestCase {
    /// Records the rest of this test into a trace of its own, as the trait `.recorded` does: `try recordTrace()`.
    ///
    /// Call it in the test, or for all tests of a class in `setUpWithError()`. The trace has the names of the class and the test,
    /// such as `CartTests.testClosing.weir`. If the test fails, the trace is attached to it; on Linux, where XCTest has no
    /// attachments, a sentence on standard error names the file. While something else records the process, it does nothing.
    ///
    /// - Parameters:
    ///   - folder: made if it is missing; nil: the folder `WEIR_TRACES`, or else one in the temporary directory.
    ///   - values: How much of each value is recorded.
    /// - Throws: `TraceWriterError` if the trace cannot be written, the error of the file system if there is no such folder and
    ///   it cannot be made.
    public func recordTrace(in folder: String? = nil, values: TraceValues = .scalars) throws {
        // 'CartTests.testClosing' on Linux, '-[CartTests testClosing]' on Apple's platforms.
        let words = name.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        let method = words.last.map(String.init) ?? name
        guard let trace = try TestTrace(of: "\(type(of: self))", method, in: folder, values: values) else { return }
        // The block runs on the test's own thread, before the test ends.
        nonisolated(unsafe) let test = self
        addTeardownBlock {
            Trace.stop()
            guard let run = test.testRun, run.totalFailureCount > 0 else { return }
            #if canImport(Darwin)
            let attachment = XCTAttachment(contentsOfFile: URL(fileURLWithPath: trace.path))
            attachment.lifetime = .keepAlways
            test.add(attachment)
            #else
            Complaint.say("\(test.name) failed; its trace is \(trace.path)")
            #endif
        }
    }
}
#endif
