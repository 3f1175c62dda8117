import Foundation

/// Runs a command of the system to its end, and gives its exit status; what it says of errors is passed over.
func runSystemCommand(_ command: String...) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
}
