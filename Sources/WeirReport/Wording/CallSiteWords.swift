import WeirTrace

/// Words for the lines that write.
enum CallSiteWords {
    /// "in LoginViewModel.signIn(), Login/LoginViewModel.swift:31".
    static func place(_ callSite: TraceCallSite) -> String {
        let function = callSite.function.map { "in " + TerminalText.escaped($0) }
        let site = callSite.site.map { TerminalText.escaped($0.description) }
        guard let function else { return site.map { "at \($0)" } ?? "" }
        return function + (site.map { ", \($0)" } ?? "")
    }

    /// The members of a JSON object.
    static func json(_ callSite: TraceCallSite) -> [JSONValue.Member] {
        [
            .init(name: "function", value: callSite.function.map(JSONValue.string) ?? .null),
            .init(name: "calledAt", value: callSite.site.map { .string($0.description) } ?? .null),
        ]
    }
}
