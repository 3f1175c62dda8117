import WeirTrace

/// The report page: one HTML file that shows traces in a browser, without any other file and without a network.
///
/// Its policy allows only its own script and style, by their digests. Everything that comes from a trace is data: JSON and
/// base 64 in elements that no browser executes.
package struct ReportPage {
    private let traces: [PageTrace]
    private let title: String
    private let comparison: DiffReport?
    private let following: Following?

    /// The state of a running program on its page.
    package enum Following: Sendable, Equatable {
        /// The page loads itself again after so many seconds.
        case live(seconds: Int)
        /// The recording has ended: the page is complete.
        case closed
        /// The program ended without closing its recording.
        case killed
        /// The page is no longer renewed, whatever the program does.
        case stopped

        fileprivate var attribute: String {
            switch self {
            case .live(let seconds): " data-reload=\"\(seconds)\""
            case .closed: " data-ending=\"closed\""
            case .killed: " data-ending=\"killed\""
            case .stopped: " data-ending=\"stopped\""
            }
        }
    }

    /// A page of these traces, in order; `comparison` is that of the first one with the second one.
    ///
    /// `following` is for a program that rewrites its file: the page loads itself again, or says why it does so no longer.
    package init(_ traces: [PageTrace], title: String, comparison: DiffReport? = nil, following: Following? = nil) {
        (self.traces, self.title, self.comparison, self.following) = (traces, title, comparison, following)
    }

    /// The page, piece by piece.
    package func write(to output: (String) throws -> Void) rethrows {
        let script = PageScript.text
        let style = PageScript.style
        let heading = PageText.short(title)
        let policy =
            "default-src 'none'; script-src '\(Self.digest(of: script))'; style-src '\(Self.digest(of: style))'; "
            + "base-uri 'none'; form-action 'none'"
        try output(
            """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(policy)">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(Self.escaped(heading)) · weir</title>
            <style>\(style)</style>
            </head>
            <body>
            <noscript><p class="fatal">This page needs JavaScript; its policy allows only the script in this file.</p></noscript>
            <div id="app" aria-busy="true"\(following?.attribute ?? "")><p class="loading" role="status">Reading the trace…</p></div>

            """)
        for (place, trace) in traces.enumerated() {
            try output("<script type=\"application/json\" id=\"trace-\(place)\">")
            // A script element ends at the next '</script', whatever it contains.
            try output(Self.inScript(trace.json.text))
            try output("</script>\n<script type=\"text/plain\" id=\"events-\(place)\">")
            try output(trace.data)
            try output("</script>\n")
        }
        if let comparison {
            try output("<script type=\"application/json\" id=\"comparison\">")
            try output(Self.inScript(comparison.pageJSON.text))
            try output("</script>\n")
        }
        try output("<script>\(script)</script>\n</body>\n</html>\n")
    }

    private static func digest(of text: String) -> String {
        "sha256-" + Base64.text(of: SHA256.digest(of: Array(text.utf8)))
    }

    /// JSON that contains no '<': that sign occurs in strings only, where it may be written as an escape.
    static func inScript(_ json: String) -> String {
        let escape = Array(#"\u003C"#.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(json.utf8.count + json.utf8.count / 16)
        for byte in json.utf8 {
            if byte == UInt8(ascii: "<") { result += escape } else { result.append(byte) }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
    }
}
