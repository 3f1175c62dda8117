import Dispatch
import Foundation
import Testing
import WeirTestSupport

@testable import WeirTrace

/// How a recorder treats its file name if the file exists or other recorders want it, too.
struct TraceFileNameTests {
    private static func header(process: UInt32 = 1) -> TraceFileHeaderContent {
        TraceFileHeaderContent(
            processID: process, clock: .monotonic, valuePolicy: .none, isFlightRecorder: false,
            ticksPerSecond: 1_000_000_000, startTicks: 0, startWallClock: 0, byteLimit: 0, program: "test",
            recordCost: nil)
    }

    private static let wholeHeader: [UInt8] = withUnsafeTemporaryAllocation(
        byteCount: TraceFormat.headerLength, alignment: 8
    ) {
        guard let base = $0.baseAddress else { return [] }
        header().write(to: base)
        return Array(UnsafeRawBufferPointer(start: base, count: TraceFormat.headerLength))
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    /// The content of a file at a path.
    struct Content: CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]

        init(_ name: String, _ bytes: [UInt8]) {
            testDescription = name
            self.bytes = bytes
        }
    }

    @Test(arguments: [
        Content("nothing", []), Content("a zero", zeros(1)), Content("less than a header", zeros(4095)),
        Content("a header of zeros", zeros(4096)), Content("a chunk of zeros", zeros(4096 + 65_536)),
        Content("chunks of zeros", zeros(4096 + 3 * 65_536)), Content("WEI", Array(TraceFormat.magic.prefix(3))),
        Content("the magic", TraceFormat.magic), Content("a header's beginning", Array(wholeHeader.prefix(4000))),
        Content("a header", wholeHeader), Content("a trace", wholeHeader + zeros(65_536)),
    ])
    func `what is left of a trace is replaced`(_ content: Content) throws {
        let old = try TemporaryTrace(content.bytes)
        #expect(OldTrace.isOne(at: old.path))
        let file = try TraceFile(path: old.path, header: Self.header(process: 7))
        #expect(try TraceReader(path: old.path).header.processID == 7)
        #expect(file.complete(length: TraceFormat.headerLength) == nil)
        #expect(try TraceReader(path: old.path).header.isClosed)
    }

    @Test(arguments: [
        Content("a letter", Array("dear".utf8)), Content("almost the magic", Array("WEIRD".utf8)),
        Content("zeros of another length", zeros(4097)), Content("a disk of zeros", zeros(1 << 20)),
        Content("a byte behind zeros", zeros(4095) + [1]), Content("a byte in a chunk", zeros(4096 + 65_535) + [1]),
        Content("a disk", zeros(32_768) + Array("CD001".utf8)), Content("a zero and a letter", Array("\0dear".utf8)),
    ])
    func `what is no trace is left alone`(_ content: Content) throws {
        let other = try TemporaryTrace(content.bytes)
        #expect(!OldTrace.isOne(at: other.path))
        #expect(throws: TraceWriterError.notATrace(path: other.path)) {
            try TraceFile(path: other.path, header: Self.header())
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: other.path)) == Data(content.bytes))
    }

    @Test func `of several that want one name at once, one gets it and all others hear that it is taken`() throws {
        for round in 0..<Repeats.count(120) {
            let old = try TemporaryTrace([[], Self.zeros(4096), Self.wholeHeader][round % 3])
            let path = old.path
            if round % 4 == 3 { unlink(path) }
            let results = Results()
            DispatchQueue.concurrentPerform(iterations: 6) { number in
                let result = Result { () throws(TraceWriterError) in
                    try TraceFile(path: path, header: Self.header(process: UInt32(number) + 1))
                }
                results.add(result, of: UInt32(number) + 1)
            }
            let winner = results.files.first?.number
            #expect(results.files.count == 1 && results.errors == Array(repeating: .inUse(path: path), count: 5))
            #expect(try TraceReader(path: old.path).header.processID == winner)
            for (file, _) in results.files { #expect(file.complete(length: TraceFormat.headerLength) == nil) }
        }
    }

    private final class Results: @unchecked Sendable {  // The lock guards both.
        private let lock = NSLock()
        private(set) var files: [(file: TraceFile, number: UInt32)] = []
        private(set) var errors: [TraceWriterError] = []

        func add(_ result: Result<TraceFile, TraceWriterError>, of number: UInt32) {
            lock.withLock {
                switch result {
                case .success(let file): files.append((file, number))
                case .failure(let error): errors.append(error)
                }
            }
        }
    }

    @Test func `a name that is only a link, a folder or a pipe is refused`() throws {
        let target = try TemporaryTrace([])
        let link = target.path + ".link"
        defer { unlink(link) }
        #expect(symlink(target.path, link) == 0)
        for path in [link, NSTemporaryDirectory()] {
            #expect(throws: TraceWriterError.self) { try TraceFile(path: path, header: Self.header()) }
        }
        unlink(link)
        #expect(mkfifo(link, 0o600) == 0)
        #expect(throws: TraceWriterError.notATrace(path: link)) { try TraceFile(path: link, header: Self.header()) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: target.path)).isEmpty)
    }
}
