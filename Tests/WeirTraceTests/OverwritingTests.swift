import Foundation
import Testing

@testable import WeirTrace

struct OverwritingTests {
    @Test func `a chunk that is overwritten while it is copied is never emitted mixed`() throws {
        // A chunk's serial number determines the node of its records, so a mixture would be visible.
        func chunk(_ serial: UInt64) -> TraceBuilder.Chunk {
            let records = (0..<500).flatMap { _ in Record.compact(8, 200 + serial % 100).bytes }
            return .init(serial: serial, firstSequence: serial * 10_000, records: records, isSealed: false)
        }
        var builder = TraceBuilder()
        builder.isClosed = false
        builder.isFlightRecorder = true
        builder.chunks = [chunk(1)]
        let trace = try TemporaryTrace(builder)
        let reader = try TraceReader(path: trace.path)
        let path = trace.path
        let isDone = DispatchSemaphore(value: 0)
        let hasStopped = DispatchSemaphore(value: 0)
        let chunks = (2...40).map { chunk($0) }.map { ($0.header, $0.records) }
        Thread.detachNewThread {
            guard let file = FileHandle(forUpdatingAtPath: path) else { return }
            func put(_ bytes: [UInt8], at offset: UInt64) {
                file.seek(toFileOffset: 4096 + offset)
                file.write(Data(bytes))
            }
            // As the writer does it: the magic is removed first and written last.
            while isDone.wait(timeout: .now()) == .timedOut {
                for (header, records) in chunks {
                    put([0, 0, 0, 0], at: 0)
                    put(Array(header[4...]), at: 4)
                    put(Array(records), at: 64)
                    put(Array(header[..<4]), at: 0)
                }
            }
            hasStopped.signal()
        }
        var passes = 0
        for _ in 0..<20_000 where passes < 1000 {
            reader.refresh()
            reader.forEachEventChunk { header, records in
                passes += 1
                var cursor = RecordCursor(records, of: header)
                var strangers = 0
                while cursor.next() {
                    if UInt64(cursor.subject) != 200 + header.serial % 100 { strangers += 1 }
                }
                #expect(strangers == 0)
                return true
            }
        }
        isDone.signal()
        hasStopped.wait()
        #expect(reader.damage == [])
    }
}
