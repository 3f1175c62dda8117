import Testing

@testable import WeirTrace

struct TraceLabelsTests {
    @Test func `a value in a list may contain commas`() {
        #expect(
            TraceLabels.labels(inList: "build=412,device=iPhone15,2, test=A/b=c")
                == ["build": "412", "device": "iPhone15,2", "test": "A/b=c"])
        #expect(TraceLabels.labels(inList: "412") == nil)
    }

    @Test func `labels that a header cannot hold are refused with a reason`() {
        #expect(TraceLabels.fault(of: ["build": "412", "commit.sha": "é"]) == nil)
        #expect(TraceLabels.fault(of: ["a b": "1"])?.contains("'a b'") == true)
        #expect(TraceLabels.fault(of: ["a": ""])?.contains("no value") == true)
        #expect(TraceLabels.fault(of: ["a": "1\n2"])?.contains("control character") == true)
        #expect(TraceLabels.fault(of: ["a": String(repeating: "x", count: 799)])?.contains("801 bytes") == true)
        let many = Dictionary(uniqueKeysWithValues: (0..<33).map { ("k\($0)", "1") })
        #expect(TraceLabels.fault(of: many)?.contains("33") == true)
    }

    @Test func `a header keeps labels, also after as many modules as fit`() throws {
        var content = TraceFileHeaderContent(
            processID: 1, clock: .monotonic, valuePolicy: .none, isFlightRecorder: false,
            ticksPerSecond: 1_000_000_000, startTicks: 0, startWallClock: 0, byteLimit: 0, program: "test",
            recordCost: nil)
        content.modules = [String(repeating: "M", count: ModuleChoice.longestText)]
        content.labels = ["build": "412", "device": "iPhone15,2"]
        let header = try withUnsafeTemporaryAllocation(byteCount: TraceFormat.headerLength, alignment: 8) {
            content.write(to: try #require($0.baseAddress))
            return try TraceHeader(UnsafeRawBufferPointer($0), path: "x")
        }
        #expect(header.labels == content.labels)
        #expect(header.modules == content.modules)
    }
}
