import WeirAnalysis

// The results that code hosts and test reports show.
extension CheckReport {
    /// The report in the XML that test runners write (JUnit): a case for each finding, and one for each rule without any.
    ///
    /// A finding that does not fail the check is a skipped case, with the reason; so is a note.
    package var junit: String {
        var cases: [String] = []
        var (failures, skipped) = (0, 0)
        let byRule = Dictionary(grouping: verdict.items, by: \.entry.finding.rule)
        func add(_ name: String, _ group: String, _ body: String) {
            let head = #"    <testcase name="\#(Markup.xml(name))" classname="\#(Markup.xml(group))" time="0""#
            cases.append(body.isEmpty ? head + "/>" : head + ">\n      " + body + "\n    </testcase>")
        }
        for rule in CheckRule.all {
            let found = byRule[rule] ?? []
            let faulty: [Fault] =
                if case .trace(let fault) = rule.kind { faults.filter { $0.fault == fault } } else { [] }
            if found.isEmpty && faulty.isEmpty { add("no \(rule.name)", "weir.\(rule.name)", "") }
            for item in found {
                let place = place(of: item)?.text
                let isFailure = item.status == .new && item.level >= verdict.policy.failOn
                // Counts and times are no part of the name, by which a host compares runs.
                let subject = TerminalText.escaped(item.entry.finding.names.first ?? "the program")
                let name = subject + (place.map { " at \($0)" } ?? "")
                if isFailure { failures += 1 } else { skipped += 1 }
                let text =
                    ([place].compactMap(\.self) + item.entry.story.lines.map { located($0, of: item) }
                    + [item.entry.story.remedy.map { "Remedy: \(located($0, of: item))." }].compactMap(\.self))
                    .joined(separator: "\n")
                let reason = reason(of: item) ?? item.level.rawValue
                add(
                    name, "weir.\(rule.name)",
                    isFailure
                        ? #"<failure message="\#(Markup.xml(item.entry.story.headline))" type="\#(rule.name)">\#(Markup.xml(text))</failure>"#
                        : #"<skipped message="\#(Markup.xml(reason))"/>"#)
            }
            for fault in faulty {
                let isFailure = fault.level >= verdict.policy.failOn
                if isFailure { failures += 1 } else { skipped += 1 }
                let text = Markup.xml(line(fault))
                add(
                    traces.indices.contains(fault.trace) ? traces[fault.trace] : "", "weir.\(rule.name)",
                    isFailure
                        ? #"<failure message="\#(text)" type="\#(rule.name)">\#(text)</failure>"#
                        : #"<skipped message="\#(text)"/>"#)
            }
        }
        let counts = #"tests="\#(cases.count)" failures="\#(failures)" errors="0" skipped="\#(skipped)" time="0""#
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="weir check" tests="\(cases.count)" failures="\(failures)" errors="0" time="0">
              <testsuite name="weir check" \(counts)>
            \(cases.joined(separator: "\n"))
              </testsuite>
            </testsuites>

            """
    }

    /// The workflow commands that GitHub Actions shows as annotations, one line each.
    ///
    /// GitHub shows ten errors and ten warnings of a step; the worst findings come first, and notes are left out.
    package var github: String {
        let findings = verdict.failures.map { item in
            let place = place(of: item)
            let file = place?.path.map { "file=\(Self.property($0)),line=\(place?.site.line ?? 1)," } ?? ""
            let (story, rule) = (item.entry.story, item.entry.finding.rule.name)
            let text =
                ([story.headline + "."] + [story.remedy.map { "Remedy: \(located($0, of: item))." }].compactMap(\.self)
                + story.lines.map { located($0, of: item) })
                .joined(separator: "\n")
            let site = place.map { $0.path == nil ? " at \($0.text)" : "" } ?? ""
            return
                "::\(Self.command(item.level)) \(file)title=\(Self.property("weir: \(rule)\(site)"))::\(Self.message(text))"
        }
        let broken = faults.map { fault in
            "::\(Self.command(fault.level)) title=\(Self.property("weir: \(fault.fault.rawValue)"))::\(Self.message(line(fault)))"
        }
        return (findings + broken).map { $0 + "\n" }.joined()
    }

    /// The code quality report of GitLab, which shows it in a merge request.
    package var gitlab: JSONValue {
        var seen: [String: Int] = [:]
        let entries: [JSONValue] = items { $0 == .new }.map { item in
            let place = place(of: item)
            let identity = item.entry.finding.key.identity
            // GitLab shows one entry of each fingerprint.
            let number = seen[identity, default: 0]
            seen[identity] = number + 1
            let remedy = item.entry.story.remedy.map { " Remedy: \(located($0, of: item))." } ?? ""
            let severity =
                switch item.level {
                case .error: "critical";
                case .warning: "major";
                case .note, .off: "info"
                }
            return [
                "description": .string("\(item.entry.story.headline).\(remedy)"),
                "check_name": .string(item.entry.finding.rule.name),
                "fingerprint": .string(number == 0 ? identity : "\(identity)-\(number)"), "severity": .string(severity),
                "location": [
                    "path": .string(place.map { $0.path ?? $0.site.file } ?? traces(of: item)),
                    "lines": ["begin": .signed(Int64(max(1, place?.site.line ?? 1)))],
                ],
            ]
        }
        return .array(entries)
    }

    private static func command(_ level: Policy.Level) -> String {
        switch level {
        case .error: "error"
        case .warning: "warning"
        case .note, .off: "notice"
        }
    }

    private static func message(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "%": result += "%25"
            case "\r": result += "%0D"
            case "\n": result += "%0A"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    private static func property(_ text: String) -> String {
        message(text).unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case ":": result += "%3A"
            case ",": result += "%2C"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
