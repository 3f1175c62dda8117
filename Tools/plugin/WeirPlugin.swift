import Foundation
import PackagePlugin

/// `swift package weir …`: runs the command in a package that depends on Weir.
@main
struct WeirPlugin: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        let process = Process()
        process.executableURL = try context.tool(named: "WeirCommand").url
        process.arguments = arguments
        process.currentDirectoryURL = context.package.directoryURL
        try process.run()
        process.waitUntilExit()
        // SwiftPM makes every failure of a plugin its own exit code 1.
        if process.terminationStatus != 0 { throw Ended(code: process.terminationStatus) }
    }

    private struct Ended: Error, CustomStringConvertible {
        let code: Int32
        var description: String { "weir ended with exit code \(code)" }
    }
}
