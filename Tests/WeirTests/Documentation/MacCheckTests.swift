import Foundation
import Testing
import WeirTestSupport

/// `Tools/mac-check`, which runs on a Mac only.
@Suite struct MacCheckTests {
    #if os(Linux)
    @Test func `Elsewhere than on a Mac the script says so in a sentence`() throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let (process, output) = (Process(), try OutputFile())
        process.executableURL = root.appendingPathComponent("Tools/mac-check")
        process.standardError = output.handle
        process.standardOutput = output.handle
        try process.run()
        process.waitUntilExit()
        let said = try output.text
        #expect(process.terminationStatus == 2)
        #expect(
            said
                == "mac-check: this script builds the parts of Weir for Apple platforms, so it runs only on a Mac.\n"
        )
    }
    #endif
}
