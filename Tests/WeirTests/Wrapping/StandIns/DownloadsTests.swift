import Testing
import Weir

extension Everything.AskingOtherProcesses.StandInTests {
    /// Written down first, from reading the model and what its user does.
    private enum Downloads {
        /// The last packet completes the photo. The summary is written once; the second write is equal.
        static let why = [
            "packet 5", "bytes = photo 7870", "didUpdate = photo 100 %", "DownloadScreen.summary = 14 of 14 kB",
        ]
        /// 600 bytes are too few for the summary: the delegate is called, and does not write it.
        static let whyNotAfterSmallPacket = ["handlerDidNotWrite DownloadScreen.summary"]
        /// A download that breaks down begins again; the delegate is not called.
        static let whyNotAfterBreakdown = ["unconnected", "bytes"]
        /// The manager does not know the file: it is called, and does not call its delegate.
        static let whyNotAfterOtherPacket = ["handlerDidNotWrite didUpdate"]
        static let redundant: Set<String> = [
            // Packet 3 changes no percent; each of packets 4 and 5 completes a file, which is announced twice.
            "warning repeated-value didUpdate ×3"
            // The two announcements of a completed file, for two files.
        ]
        static let leaks: Set<String> = ["retain-cycle DownloadManager, DownloadSimulator"]
        /// From callback to callback to property.
        static let graph: Set<String> = ["bytes ⇢ didUpdate", "didUpdate ⇢ summary"]
    }

    private func download() {
        let transport = DownloadSimulator()
        let manager = DownloadManager(transport: transport)
        let screen = DownloadScreen(manager)
        Trace.adopt(screen)
        Trace.track(manager)
        act("add") {
            manager.add(DownloadRequest(name: "photo", bytes: 10_000))
            manager.add(DownloadRequest(name: "song", bytes: 4_000))
        }
        act("packet 1") { transport.send(1_500, of: "photo") }
        act("packet 2") { transport.send(600, of: "photo") }
        act("packet 3") { transport.send(30, of: "photo") }
        act("packet 4") { transport.send(4_000, of: "song") }
        act("connection lost") { transport.breakDown("photo") }
        act("packet of another file") {
            transport.begin(DownloadRequest(name: "update", bytes: 100), from: 0)
            transport.send(100, of: "update")
        }
        act("packet 5") { transport.send(7_870, of: "photo") }
        #expect(screen.isDone && screen.rows.map(\.detail) == ["done", "done"])
    }

    @Test func `A download manager with a delegate`() async throws {
        let answers = try await StandInAnswers { download() }
        try expect(answers.why("DownloadScreen.summary"), Downloads.why)
        try expect(answers.whyNot("DownloadScreen.summary", after: "packet 2"), Downloads.whyNotAfterSmallPacket)
        try expect(answers.whyNot("DownloadScreen.summary", after: "connection lost"), Downloads.whyNotAfterBreakdown)
        for node in ["didUpdate", "DownloadScreen.summary"] {
            try expect(answers.whyNot(node, after: "packet of another file"), Downloads.whyNotAfterOtherPacket)
        }
        try expect(answers.redundant(), Downloads.redundant)
        try expect(answers.leaks(), Downloads.leaks)
        try expect(answers.linesOfLeaks(), ["WeirTests/Downloads.swift"])
        try expect(answers.graph(), Downloads.graph)
    }
}
