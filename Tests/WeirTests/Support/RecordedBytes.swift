import Weir
import WeirTrace

/// The number of bytes of events that `body` adds to a recording, under a virtual clock.
func recordedBytes(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
) async throws -> Int {
    let file = try TemporaryTrace(isQuick: true)
    try Trace.start(writingTo: file.path, clock: VirtualClock(step: 100), snapshots: .none)
    do {
        defer { Trace.stop() }
        try await body()
    }
    var count = 0
    try TraceReader(path: file.path).forEachEventChunk { header, _ in
        count += Int(header.committed)
        return true
    }
    return count
}
