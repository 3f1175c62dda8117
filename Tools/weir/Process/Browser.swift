/// The user's browser.
enum Browser {
    /// Opens a file in the default browser; false: the system has no program for that, or it failed.
    static func open(_ path: String, environment: [String: String]) -> Bool {
        #if os(macOS)
            let program = "open"
        #else
            let program = "xdg-open"
        #endif
        do {
            return try ChildProcess.run([program, path], environment: environment) { _ in } == .exited(0)
        } catch {
            return false
        }
    }
}
