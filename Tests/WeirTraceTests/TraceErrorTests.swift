import Foundation
import Testing

@testable import WeirTrace

struct TraceErrorTests {
    private func error(_ bytes: [UInt8]) throws -> (TraceError?, String) {
        let trace = try TemporaryTrace(bytes)
        do {
            _ = try TraceReader(path: trace.path)
            return (nil, trace.path)
        } catch {
            return (error, trace.path)
        }
    }

    @Test func `what is no file is refused`() throws {
        let directory = NSTemporaryDirectory() + "weir-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (missing, pipe) = (directory + "/missing", directory + "/pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(throws: TraceError.isDirectory(path: directory)) { try TraceReader(path: directory) }
        #expect(throws: TraceError.missing(path: missing)) { try TraceReader(path: missing) }
        #expect(throws: TraceError.missing(path: pipe + "/below")) { try TraceReader(path: pipe + "/below") }
        #expect(throws: TraceError.notAFile(path: pipe)) { try TraceReader(path: pipe) }
        #expect(throws: TraceError.notAFile(path: "/dev/null")) { try TraceReader(path: "/dev/null") }
    }

    @Test func `refused files are closed again`() throws {
        // A process may have 1024 open files by default: more refusals than that must be possible.
        let trace = try TemporaryTrace([1, 2, 3])
        for _ in 0..<1500 {
            #expect(throws: TraceError.isDirectory(path: "/")) { try TraceReader(path: "/") }
            #expect(throws: TraceError.notATrace(path: trace.path, offset: 0)) {
                try TraceReader(path: trace.path)
            }
        }
    }

    @Test func `a file that is no trace is distinguished from a damaged trace`() throws {
        let good = TraceBuilder().bytes
        func patched(_ bytes: [UInt8], at place: Int) -> [UInt8] {
            var patched = good
            patched.replaceSubrange(place..<place + bytes.count, with: bytes)
            return patched
        }
        func check(_ bytes: [UInt8], _ expected: (String) -> TraceError) throws {
            let (found, path) = try error(bytes)
            #expect(found == expected(path))
        }
        try check([]) { .empty(path: $0) }
        try check(Array("hello".utf8)) { .notATrace(path: $0, offset: 0) }
        try check(Array("WEIRD".utf8)) { .notATrace(path: $0, offset: 4) }
        try check(Array(good[..<5])) { .damagedHeader(path: $0, offset: 5) }
        try check(Array(good[..<4095])) { .damagedHeader(path: $0, offset: 4095) }
        try check(patched([2, 0], at: 8)) { .newerVersion(path: $0, found: 2, known: 1) }
        try check(patched([1], at: 60)) { .damagedHeader(path: $0, offset: 4032) }
        var old = TraceBuilder()
        old.version = 0
        try check(old.bytes) { .damagedHeader(path: $0, offset: 8) }
        var strange = TraceBuilder()
        strange.clock = 9
        try check(strange.bytes) { .damagedHeader(path: $0, offset: 20) }
    }

    static let sentences: [(TraceError, String)] = [
        (
            .missing(path: "a.weir"),
            "a.weir: no such file; check the path, or record a trace with 'weir record -- COMMAND'"
        ),
        (.isDirectory(path: "a"), "a: is a directory; name a trace file in it"),
        (
            .notAFile(path: "a"),
            "a: is a pipe or device, not a file; save the trace to a file and name that"
        ),
        (
            .empty(path: "a"),
            "a: is empty; record it again, and let the program run until Weir has opened its trace"
        ),
        (
            .notATrace(path: "a", offset: 4),
            "a: is not a Weir trace (byte 4 differs from a trace's first bytes); name a file that "
                + "'weir record' wrote"
        ),
        (
            .newerVersion(path: "a", found: 3, known: 1),
            "a: has format version 3 at byte 8, but this reader knows versions up to 1; update weir"
        ),
        (
            .damagedHeader(path: "a", offset: 4032),
            "a: its file header is damaged at byte 4032; take an undamaged copy, or record it again"
        ),
        (
            .damagedHeader(path: "a", offset: 100),
            "a: is cut off: it has 100 of the 4096 bytes of a header; take a whole copy, or record it again"
        ),
        (
            .unreadable(path: "a", offset: 0, code: EACCES),
            "a: cannot be read at byte 0 (Permission denied); check its permissions and disk"
        ),
    ]

    @Test(arguments: sentences)
    func `an error says what, where and what to do`(error: TraceError, sentence: String) {
        #expect(error.description == sentence)
        #expect(sentence.hasPrefix(error.path))
    }
}
