import Foundation
import PackagePlugin

/// `swift package weir …`: builds the command in a package that depends on Weir, and runs it there.
///
/// The plugin does not depend on the command: SwiftPM compiles what a plugin depends on a second time, in every build of Weir.
@main
struct WeirPlugin: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        let build = try packageManager.build(
            .product("weir"), parameters: .init(configuration: .inherit, echoLogs: true))
        guard build.succeeded, let weir = build.builtArtifacts.first(where: { $0.kind == .executable }) else {
            throw Failed(description: "weir could not be built:\n\(build.logText)")
        }
        let process = Process()
        process.executableURL = weir.url
        process.arguments = arguments
        process.currentDirectoryURL = context.package.directoryURL
        try process.run()
        process.waitUntilExit()
        // SwiftPM makes every failure of a plugin its own exit code 1.
        if process.terminationStatus != 0 {
            throw Failed(description: "weir ended with exit code \(process.terminationStatus)")
        }
    }

    private struct Failed: Error, CustomStringConvertible {
        let description: String
    }
}
