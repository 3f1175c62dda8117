import Foundation

/// Runs a system command to its end, and returns its exit status; its standard error is discarded.
func runSystemCommand(_ command: String...) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
}
