import Testing
import WeirTrace

@testable import WeirAnalysis

struct ExpressionTests {
    @Test(arguments: [
        ("", ExpressionError.Problem.endsTooEarly, 1),
        ("a ==", .endsTooEarly, 5),
        ("a == )", .noValue(")"), 6),
        ("&& a", .noValue("&&"), 1),
        ("a b", .superfluous("b"), 3),
        ("(a", .notClosed, 1),
        ("(a b)", .superfluous("b"), 4),
        (#"a == "x"#, .stringWithoutEnd, 6),
        (#"a == "x\"#, .stringWithoutEnd, 6),
        (#"a == "\q""#, .unknownEscape(#"\q"#), 7),
        (#"a == "\u{110000}""#, .unknownEscape(#"\u{110000"#), 7),
        ("a == `b", .nameWithoutEnd, 6),
        ("``", .nameWithoutEnd, 1),
        ("a > 12ms", .badNumber("12ms"), 5),
        ("a > 18446744073709551616", .badNumber("18446744073709551616"), 5),
        ("#x", .badNumber("#"), 1),
        ("a = 1", .singleOperator("="), 3),
        ("a & b", .singleOperator("&"), 3),
        ("a < b < 3", .chainedComparison("<"), 7),
        ("count(1)", .nodeExpected("count"), 7),
        ("changed()", .nodeExpected("changed"), 9),
        ("a + b", .superfluous("+"), 3),
    ])
    func `what is no expression is refused, with the character`(
        _ text: String, _ problem: ExpressionError.Problem, _ column: Int
    ) {
        #expect(throws: ExpressionError(problem: problem, column: column)) { try Expression(text) }
    }

    @Test func `nesting has a limit`() throws {
        _ = try Expression(String(repeating: "(", count: 40) + "a" + String(repeating: ")", count: 40))
        #expect(throws: ExpressionError.self) { try Expression(String(repeating: "(", count: 10_000) + "a") }
        #expect(throws: ExpressionError.self) { try Expression(String(repeating: "!", count: 10_000) + "a") }
    }

    @Test func `a chain has a limit too, below which it is judged`() throws {
        let longest = Array(repeating: "a", count: 1000).joined(separator: " && ")
        #expect(try Self.condition(longest).truth(in: Self.state(.bool(true))).truth == true)
        #expect(throws: ExpressionError(problem: .tooLong, column: 5001)) { try Expression(longest + " && a") }
        #expect(throws: ExpressionError.self) {
            try Expression(Array(repeating: "a", count: 40_000).joined(separator: "||"))
        }
    }

    @Test func `and binds tighter than or, comparisons tighter than both, names take dots and colons`() throws {
        #expect(
            try Expression("a || b && !c == false")
                == .or(.node("a"), .and(.node("b"), .compare(.not(.node("c")), .equal, .literal(.bool(false))))))
        #expect(
            try Expression(#"`combiner main.swift:12` != "\u{41}\n" || #12 > -1_0.5e1"#)
                == .or(
                    .compare(.node("combiner main.swift:12"), .notEqual, .literal(.string("A\n"))),
                    .compare(.node("12"), .greater, .literal(.double(-105)))))
        #expect(try Expression("count") == .node("count"))
        #expect(try Expression("main.swift:12") == .node("main.swift:12"))
    }

    /// a (1) has the given value, b (2) never one, p (3) is private.
    private static func state(_ value: TraceValue, emissions: Int = 1) -> TraceState {
        var definitions = TraceDefinitions()
        for id in 1...3 as ClosedRange<UInt32> { definitions.nodes[id] = TraceNode(id: id, rawKind: 1) }
        definitions.nodes[3]?.value = .withheld
        var state = TraceState(Topology(definitions), startTicks: 0)
        for number in 0..<emissions {
            state.take(
                TraceEvent(
                    id: EventID(thread: 1, sequence: UInt64(number) + 1), kind: .emitted, ticks: 1, subject: 1,
                    value: value))
        }
        return state
    }

    private static func condition(_ text: String) throws -> Condition {
        try Condition(Expression(text)) { name in ["a": 1, "b": 2, "p": 3][name] ?? 9 }
    }

    @Test(arguments: [
        (TraceValue.bool(true), "a", true as Bool?),
        (.bool(true), "a == true && !(a != true)", true),
        (.signed(-1), "a < 0", true),
        (.signed(-1), "a < 18446744073709551615", true),
        (.unsigned(.max), "a == 18446744073709551615", true),
        (.unsigned(.max), "a > 9223372036854775807", true),
        (.signed(.max), "a == 9223372036854775808.0", false),
        (.signed(.max), "a < 9223372036854775808.0", true),
        (.signed(2), "a > 1.5 && a < 2.5 && a == 2.0", true),
        (.signed(-2), "a < -1.5 && a > -2.5", true),
        (.float(0.1), "a == 0.1", true),
        (.double(.nan), "a == a", false),
        (.double(.nan), "a != a", true),
        (.double(.nan), "a < 1", nil),
        (.string("b"), #"a > "a" && a < "ba" && a == "b""#, true),
        (.described("idle"), #"a == "idle""#, true),
        (.string("1"), "a == 1", false),
        (.string("1"), "a < 1", nil),
        (.nil, "a == nil", true),
        (.bool(false), "a == nil", false),
        (.cutString("abc", fingerprint: 7), #"a == "abc""#, false),
        (.cutString("abc", fingerprint: 7), #"a > "abc""#, true),
        (.cutString("abc", fingerprint: 7), #"a == "abd""#, false),
        (.cutString("abc", fingerprint: 7), #"a < "abd""#, true),
        (.cutString("abc", fingerprint: 7), #"a == "abcd""#, nil),
        (.cutString("abc", fingerprint: 7), "a == a", true),
        (.enumCase("idle", .none), #"a == "idle" && a != "busy" && a == a && a != 1"#, true),
        (.enumCase("failed", .unknown), #"a == "failed" && a != "idle""#, true),
        (.enumCase("failed", .unknown), "a == a", nil),
        (.enumCase("offline", .noneOfAnyEnum), #"a == "offline""#, true),
        (.enumCase("offline", .noneOfAnyEnum), "a == a", nil),
        (.enumCase("failed", .fingerprint(7)), #"a == a && a == "failed""#, true),
        (.enumCase("idle", .none), "a", nil),
        (.fingerprint(7), "a == a", true),
        (.fingerprint(7), #"a == "x""#, nil),
        (.fingerprint(7), "a", nil),
        (.string("x"), "a", nil),
        (.string("x"), "count(a) == 1 && changed(a) && !changed(b)", true),
        (.bool(true), "p == 1", nil),
        (.bool(true), "p == 1 && a", nil),
        (.bool(true), "p == 1 && !a", false),
        (.bool(true), "!a && p == 1", false),
        (.bool(true), "p == 1 || a", true),
        (.bool(true), "!(p == 1)", nil),
        (.bool(true), "b == true", nil),
    ])
    func `conditions are judged by what the trace tells`(_ value: TraceValue, _ text: String, _ truth: Bool?) throws {
        #expect(try Self.condition(text).truth(in: Self.state(value)).truth == truth)
    }

    @Test func `what is unknown is reported with its node and the reason`() throws {
        func reason(_ text: String, _ value: TraceValue) throws -> Judgement {
            try Self.condition(text).truth(in: Self.state(value))
        }
        #expect(try reason("p == 1", .nil) == .unknown(.init(node: 3, reason: .isPrivate)))
        #expect(try reason("b == 1", .nil) == .unknown(.init(node: 2, reason: .noValueYet)))
        #expect(try reason("a", .string("")) == .unknown(.init(node: 1, reason: .notATruth)))
        #expect(try reason("a == 1", .notRecorded) == .unknown(.init(node: 1, reason: .notRecorded)))
        #expect(try reason("1 < nil", .nil) == .unknown(.init(node: nil, reason: .notComparable)))
        #expect(try reason(#"a == "xy""#, .cutString("x", fingerprint: 1)) == .unknown(.init(node: 1, reason: .isCut)))
    }

    @Test func `a watch gives at every event what judging the condition anew gives`() throws {
        let texts = [
            "count(`1`) > 3 && changed(`2`)", "changed(`1`) || changed(`3`)", "`1` == `2`", "!changed(`4`)",
            "count(`5`) > count(`6`)",
        ]
        var changes = 0
        for seed in 1...40 as ClosedRange<UInt64> {
            let script = RandomScript(seed: seed)
            var state = TraceState(Topology(script.definitions), startTicks: 0)
            let conditions = try texts.map { try Condition(Expression($0)) { UInt32($0) ?? 0 } }
            var watches = conditions.map { ConditionWatch($0, asTruth: true, in: state) }
            for event in script.events {
                state.take(event)
                for place in watches.indices {
                    if watches[place].take(event, in: state) { changes += 1 }
                    try #require(
                        watches[place].judgement == conditions[place].truth(in: state), "seed \(seed), \(event.id)")
                }
            }
        }
        #expect(changes > 1000)
    }
}
