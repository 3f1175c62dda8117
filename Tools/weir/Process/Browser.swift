/// The user's browser.
enum Browser {
    /// Why a file could not be opened in a browser.
    enum Problem: Error, Equatable {
        /// None of these programs is on PATH.
        case missing([String])
        /// This program ended with this status.
        case failed(String, status: Int32)
    }

    /// The programs to try: those that BROWSER names, with colons between them, or else the system's own opener.
    static func programs(_ environment: [String: String]) -> [String] {
        let chosen = (environment["BROWSER"] ?? "").split(separator: ":").map(String.init)
        #if os(macOS)
        return chosen.isEmpty ? ["open"] : chosen
        #else
        return chosen.isEmpty ? ["xdg-open"] : chosen
        #endif
    }

    /// Opens a file with the first program that can; returns when that program has ended, which an opener does at once.
    static func open(_ path: String, environment: [String: String]) throws(Problem) {
        let programs = programs(environment)
        var problem = Problem.missing(programs)
        for program in programs {
            do {
                let ending = try ChildProcess.run([program, path], environment: environment) { _ in }
                if ending == .exited(0) { return }
                problem = .failed(program, status: ending.status)
            } catch { continue }
        }
        throw problem
    }
}
