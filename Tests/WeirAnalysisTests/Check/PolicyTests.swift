import Foundation
import Testing
import WeirAnalysis

@testable import WeirReport

struct PolicyTests {
    private static let whole = """
        {
          "version": 1,
          "failOn": "error",
          "rules": {
            "*": "note",
            "burst": "off"
          },
          "overrides": [
            {
              "nodes": [
                "LoginViewModel.*"
              ],
              "files": [
                "Sources/Legacy/**"
              ],
              "rules": {
                "retain-cycle": "error"
              }
            }
          ],
          "budgets": [
            {
              "owners": [
                "LoginView"
              ],
              "refreshesPerStimulus": 4,
              "handlerMilliseconds": 2.5,
              "level": "warning"
            },
            {
              "redundantPercent": 10
            }
          ],
          "waivers": [
            {
              "rule": "feedback",
              "fingerprint": "c084f069b8268a04",
              "reason": "rewritten in version 3",
              "expires": "2026-12-31"
            }
          ]
        }
        """

    @Test func `a policy is written as it was read`() throws {
        let policy = try Policy(json: Self.whole)
        #expect(policy.json.indentedText == Self.whole)
        #expect(
            policy.failOn == .error
                && policy.budgets[0].limits == [.refreshesPerStimulus: 4, .handlerMilliseconds: 2.5])
        #expect(
            policy.waivers[0].expires == "2026-12-31" && policy.overrides[0].scope.nodes[0].matches("LoginViewModel.x"))
    }

    @Test(arguments: [
        ("{", #"weir.json:1:2: this is not JSON: a name in double quotes is missing."#),
        ("[]", "weir.json: this must be an object { … }."),
        ("{}", #"weir.json: "version" is missing; add it."#),
        (
            #"{"version": 2}"#,
            "weir.json: version: this file has version 2, and this weir reads version 1; update weir, or make the file again with this one."
        ),
        (#"{"version": 1, "budgts": []}"#, #"weir.json: there is no "budgts"; did you mean "budgets"?"#),
        (
            #"{"version": 1, "xyz": []}"#,
            #"weir.json: there is no "xyz"; allowed are $schema, version, failOn, rules, overrides, budgets, waivers."#
        ),
        (
            #"{"version": 1, "rules": {"bursts": "off"}}"#,
            #"weir.json: rules: "bursts" is not allowed; did you mean "burst"?"#
        ),
        (
            #"{"version": 1, "rules": {"burst": "fatal"}}"#,
            #"weir.json: rules.burst: "fatal" is not allowed; allowed are off, note, warning, error."#
        ),
        (
            #"{"version": 1, "budgets": [{"refreshesPerStimulus": 1.5}]}"#,
            "weir.json: budgets[0].refreshesPerStimulus: this must be a whole number of 0 or more."
        ),
        (
            #"{"version": 1, "budgets": [{"redundantPercent": 101}]}"#,
            "weir.json: budgets[0].redundantPercent: this must be a number from 0 to 100."
        ),
        (
            #"{"version": 1, "budgets": [{"nodes": ["a"]}]}"#,
            "weir.json: budgets[0]: this limits nothing; add one of refreshesPerStimulus, handlerMilliseconds, "
                + "redundantPercent, emissionsPerTurn, liveSubscriptionsPerLine."
        ),
        (
            #"{"version": 1, "budgets": [{"nodes": ["a"], "redundantPercent": 5}]}"#,
            "weir.json: budgets[0].redundantPercent: redundantPercent is a figure of all traces together; leave out "
                + "nodes, owners and files."
        ),
        (#"{"version": 1, "waivers": [{"rule": "burst"}]}"#, #"weir.json: waivers[0]: "reason" is missing; add it."#),
        (
            #"{"version": 1, "waivers": [{"rule": "burst", "reason": " "}]}"#,
            "weir.json: waivers[0].reason: this must be a text that is not empty."
        ),
        (
            #"{"version": 1, "waivers": [{"reason": "x"}]}"#,
            "weir.json: waivers[0]: this would waive everything; add a rule, a fingerprint, nodes, owners or files."
        ),
        (
            #"{"version": 1, "waivers": [{"rule": "burst", "reason": "x", "expires": "2026-02-29"}]}"#,
            #"weir.json: waivers[0].expires: this must be a day, such as "2026-12-31"."#
        ),
        (
            #"{"version": 1, "overrides": [{"rules": {}}]}"#,
            #"weir.json: overrides[0].rules: this names no rule; add one, such as "burst": "off"."#
        ),
        (
            #"{"version": 1, "overrides": [{"nodes": "a", "rules": {"*": "off"}}]}"#,
            "weir.json: overrides[0].nodes: this must be a list [ … ]."
        ),
    ])
    func `a mistake names the file, the path in it, what is allowed, and the nearest word`(
        _ text: String, _ sentence: String
    ) {
        let mistake = #expect(throws: PolicyMistake.self) { try Policy(json: text) }
        #expect(mistake.map { PolicyWords(path: "weir.json", mistake: $0).sentence } == sentence)
    }

    @Test func `a waiver takes the fingerprint of the check, and that of the trace`() throws {
        let lines = [3, 9].map { Program.Line(rule: .glitch, label: nil, file: "Home.swift", line: $0) }
        let findings = Program(lines: lines).findings
        func waived(_ fingerprint: String) throws -> Int {
            let text = #"{"version": 1, "waivers": [{"fingerprint": "\#(fingerprint)", "reason": "known"}]}"#
            let waiver = try #require(try Policy(json: text).waivers.first)
            return findings.count { waiver.covers($0, paths: []) }
        }
        #expect(Set(findings.map(\.fingerprint)).count == 2 && Set(findings.map(\.key.identity)).count == 1)
        #expect(try findings.map { try waived($0.fingerprint) }.sorted() == [1, 2])
        #expect(try waived(findings[0].key.identity) == 2)
    }

    @Test func `all mistakes are named, and each once`() {
        let text = """
            {"version": 2, "budgts": [], "rules": {"bursts": "off"}, "overrides": [{"nodes": "a", "rules": {}}, {"rules": {}}],
            "budgets": [{"nodes": ["a"], "redundantPercent": 5}, {}], "waivers": [{"reason": "x"}, {"rule": "burst"}]}
            """
        let sentences = Policy.mistakes(inJSON: text).map { PolicyWords(path: "weir.json", mistake: $0).sentence }
        let starts = [
            "weir.json: version: this file has version 2", #"weir.json: there is no "budgts""#,
            #"weir.json: rules: "bursts""#, "weir.json: overrides[0].nodes: ", #"weir.json: waivers[1]: "reason""#,
            "weir.json: overrides[1].rules: ", "weir.json: budgets[0].redundantPercent: ", "weir.json: budgets[1]: ",
            "weir.json: waivers[0]: ",
        ]
        #expect(sentences.count == starts.count)
        for (sentence, start) in zip(sentences, starts) { #expect(sentence.hasPrefix(start)) }
        #expect(Policy.mistakes(inJSON: "{").count == 1 && Policy.mistakes(inJSON: Self.whole).isEmpty)
    }

    @Test func `the schema in the repository is the one of this version, and names every rule`() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources/WeirReport/WeirReport.docc/Resources/weir-policy.schema.json")
        let schema = PolicySchema.json.indentedText + "\n"
        #expect(try String(contentsOf: page, encoding: .utf8) == schema, "write it with `weir policy schema`")
        for rule in CheckRule.all { #expect(schema.contains("\"\(rule.name)\"")) }
        #expect(Set(CheckRule.all.map(\.name)).count == CheckRule.all.count)
    }

    @Test func `the last level that applies counts`() throws {
        let policy = try Policy(
            json: #"""
                {"version": 1, "rules": {"*": "note", "feedback": "error"}, "overrides": [
                  {"nodes": ["Login*"], "rules": {"burst": "warning"}}, {"files": ["Sources/Old/**"], "rules": {"*": "off"}}]}
                """#)
        let finding = Program.finding(.burst, node: "LoginViewModel.x", file: "Login/View.swift", line: 3)
        #expect(policy.level(of: finding, paths: ["Sources/New/View.swift"]) == .warning)
        #expect(policy.level(of: finding, paths: ["Sources/Old/View.swift"]) == .off)
        let other = Program.finding(.feedback, node: "Cart.x", file: "Login/View.swift", line: 3)
        #expect(policy.level(of: other, paths: []) == .error)
        #expect(
            policy.level(of: Program.finding(.glitch, node: "Cart.x", file: "A/B.swift", line: 1), paths: []) == .note)
    }
}
