import Foundation
import Testing

/// `Tools/mac-check`, which runs on a Mac only.
@Suite struct MacCheckTests {
    #if os(Linux)
    @Test func `Elsewhere than on a Mac the script says so in a sentence`() throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = root.appendingPathComponent("Tools/mac-check")
        process.standardError = pipe
        process.standardOutput = pipe
        try process.run()
        let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 2)
        #expect(
            said
                == "mac-check: this script builds the parts of Weir for Apple platforms, so it runs only on a Mac.\n"
        )
    }
    #endif
}
