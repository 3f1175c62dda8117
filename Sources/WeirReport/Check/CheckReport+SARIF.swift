import WeirAnalysis
import WeirTrace

extension CheckReport {
    /// The report in the Static Analysis Results Interchange Format, version 2.1.0 (OASIS), which code hosts read.
    ///
    /// Paths are relative to the source root. A line whose path is not known has its `#fileID` as path.
    package func sarif(version: String) -> JSONValue {
        let used = Set(verdict.items.map(\.entry.finding.rule))
        let rules = CheckRule.all.filter(used.contains)
        let places = Dictionary(uniqueKeysWithValues: zip(rules, 0...))
        return [
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
            "runs": .array([
                [
                    "tool": [
                        "driver": [
                            "name": "weir", "version": .string(version), "rules": .array(rules.map(sarif)),
                        ]
                    ],
                    "columnKind": "utf16CodeUnits",
                    "invocations": .array([
                        [
                            "executionSuccessful": .bool(!faults.contains { $0.fault == .unreadable }),
                            "toolExecutionNotifications": .array(faults.map(sarif)),
                        ]
                    ]),
                    "results": .array(verdict.items.map { sarif($0, rule: places[$0.entry.finding.rule] ?? 0) }),
                ]
            ]),
        ]
    }

    private func sarif(_ rule: CheckRule) -> JSONValue {
        let meaning = rule.meaning.prefix(1).uppercased() + rule.meaning.dropFirst() + "."
        return [
            "id": .string(rule.name), "shortDescription": ["text": .string(meaning)],
            "fullDescription": ["text": .string(meaning)],
            "help": ["text": .string(meaning + " Each result names the change that cures it, if one is known.")],
            "defaultConfiguration": ["level": .string(rule.usualLevel.rawValue)],
        ]
    }

    private func sarif(_ fault: Fault) -> JSONValue {
        [
            "level": .string(fault.level.rawValue), "message": ["text": .string(line(fault))],
            "descriptor": ["id": .string(fault.fault.rawValue)],
        ]
    }

    private func sarif(_ item: CheckVerdict<FindingStory>.Item, rule: Int) -> JSONValue {
        let (finding, story) = (item.entry.finding, item.entry.story)
        let remedy = story.remedy.map { " Remedy: \(located($0, of: item))." } ?? ""
        var members: [JSONValue.Member] = [
            .init(name: "ruleId", value: .string(finding.rule.name)),
            .init(name: "ruleIndex", value: .signed(Int64(rule))),
            .init(name: "level", value: .string(item.level.rawValue)),
            .init(name: "message", value: ["text": .string("\(story.headline).\(remedy)")]),
            .init(name: "locations", value: .array([location(of: item)])),
            .init(name: "partialFingerprints", value: ["weirFinding/v1": .string(finding.key.identity)]),
        ]
        let related = finding.sites.dropFirst().map { location($0, nil) }
        if !related.isEmpty { members.append(.init(name: "relatedLocations", value: .array(related))) }
        let steps = story.steps.compactMap { step in step.site.map { location($0, step.text) } }
        if !steps.isEmpty {
            let flow: JSONValue = ["threadFlows": .array([["locations": .array(steps.map { ["location": $0] })]])]
            members.append(.init(name: "codeFlows", value: .array([flow])))
        }
        if hasBaseline {
            members.append(.init(name: "baselineState", value: item.status == .known ? "unchanged" : "new"))
        }
        if let reason = reason(of: item) {
            let kind: JSONValue = if case .intended = item.status { "inSource" } else { "external" }
            let suppression: JSONValue = ["kind": kind, "status": "accepted", "justification": .string(reason)]
            members.append(.init(name: "suppressions", value: .array([suppression])))
        }
        return .object(members)
    }

    private func location(of item: CheckVerdict<FindingStory>.Item) -> JSONValue {
        if let site = item.entry.finding.sites.first { return location(site, nil) }
        // Code hosts refuse a result without a location.
        let trace = traces.indices.contains(item.entry.trace) ? traces[item.entry.trace] : ""
        return ["physicalLocation": ["artifactLocation": ["uri": .string(Self.uri(trace))]]]
    }

    private func location(_ site: TraceSite, _ text: String?) -> JSONValue {
        let place = sources.place(of: site)
        let root: [JSONValue.Member] = place.path == nil ? [] : [.init(name: "uriBaseId", value: "%SRCROOT%")]
        let artifact = JSONValue.object([.init(name: "uri", value: .string(Self.uri(place.path ?? site.file)))] + root)
        let physical: JSONValue = [
            "artifactLocation": artifact, "region": ["startLine": .signed(Int64(max(1, site.line)))],
        ]
        let message = text.map { [JSONValue.Member(name: "message", value: ["text": .string($0)])] } ?? []
        return .object([.init(name: "physicalLocation", value: physical)] + message)
    }

    /// A path as a URI reference: bytes that a path of a URI cannot have are escaped.
    private static func uri(_ path: String) -> String {
        path.utf8.reduce(into: "") { uri, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                uri.unicodeScalars.append(Unicode.Scalar(byte))
            case _ where "-._~/+@,=".utf8.contains(byte): uri.unicodeScalars.append(Unicode.Scalar(byte))
            default: uri += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}

extension CheckRule {
    /// The level that most findings of the rule have.
    fileprivate var usualLevel: Policy.Level {
        switch kind {
        case .budget: .error
        case .redundancy, .leak, .trace: .warning
        }
    }
}
