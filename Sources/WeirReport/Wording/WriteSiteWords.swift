import WeirTrace

/// Words for the lines that write.
enum WriteSiteWords {
    /// "in LoginViewModel.signIn(), Login/LoginViewModel.swift:31".
    static func place(_ writeSite: TraceWriteSite) -> String {
        let function = writeSite.function.map { "in " + TerminalText.escaped($0) }
        let site = writeSite.site.map { TerminalText.escaped($0.description) }
        guard let function else { return site.map { "at \($0)" } ?? "" }
        return function + (site.map { ", \($0)" } ?? "")
    }

    /// The members of a JSON object.
    static func json(_ writeSite: TraceWriteSite) -> [JSONValue.Member] {
        [
            .init(name: "writtenIn", value: writeSite.function.map(JSONValue.string) ?? .null),
            .init(name: "writtenAt", value: writeSite.site.map { .string($0.description) } ?? .null),
        ]
    }
}
