import Testing
import WeirTestSupport

@testable import WeirAnalysis
@testable import WeirTrace

struct FindingsTests {
    private func findings(_ tallies: [RuleTally], _ definitions: TraceDefinitions = Cart.definitions()) -> [Finding] {
        Findings(tallies, definitions).found
    }

    @Test func `what one line makes many of is one finding, led by the instance that wasted most`() throws {
        let tallies = (10...12 as ClosedRange<UInt32>).map {
            RuleTally.made(
                .repeatedValue, node: $0, subscription: $0, count: UInt64($0), refreshes: 2, wasted: $0 == 11 ? 9 : 5,
                example: UInt64($0))
        }
        let found = findings(tallies)
        let cells = try #require(found.first)
        #expect(found.count == 1)
        #expect(cells.node == 11 && cells.example == EventID(thread: 1, sequence: 11))
        #expect(cells.tallies.map(\.node) == [11, 12, 10])
        #expect(cells.count == 33 && cells.refreshes == 6 && cells.wastedTicks == 19)
        #expect(cells.site?.description == "Cart/CartCell.swift:20")
        #expect(cells.remedy?.subscriptions == [10, 11, 12] && cells.remedy?.nodes == [10, 11, 12])
    }

    @Test func `properties that are made on one line are findings of their own, and so are subscriptions`() {
        var definitions = Cart.definitions()
        definitions.nodes[2]?.site = Cart.definitions().nodes[3]?.site
        #expect(findings([.made(.glitch, node: 2), .made(.glitch, node: 3)], definitions).count == 2)
        #expect(
            findings([
                .made(.burst, node: 1, subscription: 5), .made(.burst, node: 1, subscription: 6),
                .made(.repeatedValue, node: 1, subscription: 6),
            ]).count == 3)
        // Elements of an adopted array are instances.
        definitions.nodes[2]?.label = "CartModel.sums[0]"
        definitions.nodes[3]?.label = "CartModel.sums[12]"
        #expect(findings([.made(.glitch, node: 2), .made(.glitch, node: 3)], definitions).count == 1)
    }

    @Test func `nodes and subscriptions that the trace does not define stand for themselves`() {
        let found = findings([
            .made(.glitch, node: 90), .made(.glitch, node: 91), .made(.burst, node: 1, subscription: 90),
            .made(.burst, node: 1, subscription: 91),
        ])
        #expect(found.count == 4)
        #expect(Set(found.map(\.fingerprint)).count == 4)
    }

    @Test func `worst is the highest severity, then what wasted time, then refreshes, then the count, then the name`() {
        let tallies: [RuleTally] = [
            .made(.unobserved, node: 2, count: 9), .made(.glitch, node: 1, count: 7),
            .made(.crossThread, node: 2, count: 7), .made(.glitch, node: 3, count: 7),
            .made(.repeatedValue, node: 1, subscription: 5, count: 8),
            .made(.burst, node: 1, subscription: 6, refreshes: 1),
            .made(.slowRefresh, node: 1, subscription: 5, wasted: 1),
        ]
        for seed in 0..<20 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let found = findings(tallies.shuffled(using: &random))
            #expect(
                found.map { "\($0.rule) \($0.node)" } == [
                    "crossThread 2", "slowRefresh 1", "burst 1", "repeatedValue 1", "glitch 1", "glitch 3",
                    "unobserved 2",
                ])
        }
    }

    @Test(arguments: [
        (
            RuleTally.made(.repeatedValue, node: 1, subscription: 5), Finding.Severity.warning,
            Remedy.Kind.removeDuplicates
        ),
        (.made(.repeatedValue, node: 1, subscription: 5, areAnswers: true), .note, .removeDuplicates),
        (.made(.repeatedValue, node: 1, subscription: 5, all: 9), .warning, .removeDuplicates),
        (.made(.glitch, node: 3), .warning, .settled),
        (.made(.burst, node: 1, subscription: 5, count: 4, within: 2), .warning, .batch),
        (.made(.burst, node: 1, subscription: 5, count: 4, within: 1), .warning, .throttle),
        (.made(.burst, node: 1, subscription: 5, count: 4, later: 4), .note, .throttle),
        (.made(.burst, node: 1, subscription: 5, count: 4, later: 3), .note, .throttle),
        (.made(.burst, node: 1, subscription: 5, count: 4, later: 2), .warning, .throttle),
        (.made(.unobserved, node: 3), .note, .makeLater),
        (.made(.resubscribedSource, node: 3), .warning, .share), (.made(.feedback, node: 3), .warning, .cutLoop),
        (.made(.feedback, node: 3, unsettled: 1), .error, .cutLoop),
        (.made(.zombieRefresh, node: 1, subscription: 5), .error, .dispose),
        (.made(.crossThread, node: 3), .error, .deliver),
        (.made(.slowRefresh, node: 1, subscription: 5), .warning, .lightenHandler),
        (.made(.unhandledFailure, node: 1, subscription: 5), .error, .handleFailure),
        (.made(.repeatedSubscription, node: 1, subscription: 5), .note, .subscribeOnce),
        (.made(.repeatedSubscription, node: 1, subscription: 5, isOfOneView: true), .warning, .subscribeOnce),
        (.made(.staleResponse, node: 1, subscription: 5), .note, .dropStale),
        (.made(.repeatedSource, node: 3), .note, .makeOnce),
        (.made(.repeatedRequest, node: 3, via: 3), .warning, .removeDuplicateRequests),
    ])
    func `each rule has its severity and its remedy`(
        _ tally: RuleTally, _ severity: Finding.Severity, _ remedy: Remedy.Kind
    ) throws {
        let finding = try #require(findings([tally]).first)
        #expect(finding.severity == severity && finding.remedy?.kind == remedy)
        #expect(finding.remedy?.nodes == [tally.node])
        let line = tally.subscription == 0 ? "Cart/CartModel.swift:18" : "Cart/CartView.swift:33"
        #expect(finding.remedy?.site?.description == line && finding.site?.description == line)
    }

    @Test(arguments: [
        (59 as UInt64, 60 as UInt64, Finding.Severity.note), (60, 60, .warning), (60, 121, .warning), (60, 122, .note),
    ])
    func `a body that rarely shows the same again, or mostly shows something new, is a note`(
        _ repeated: UInt64, _ all: UInt64, _ severity: Finding.Severity
    ) throws {
        var definitions = Cart.definitions()
        definitions.nodes[1]?.technique = .render
        let tally = RuleTally.made(.repeatedValue, node: 1, subscription: 5, count: repeated, all: all)
        #expect(try #require(findings([tally], definitions).first).severity == severity)
    }

    @Test func `of a loop and of a vain evaluation the remedy names the subscription that brought it`() throws {
        let loop = try #require(findings([.made(.feedback, node: 3, via: 5)]).first)
        #expect(loop.remedy?.subscriptions == [5] && loop.remedy?.site?.description == "Cart/CartView.swift:33")
        let vain = try #require(findings([.made(.noopEvaluation, node: 3, via: 3)]).first)
        #expect(vain.remedy?.subscriptions == [3] && vain.remedy?.site?.description == "Cart/CartModel.swift:18")
    }

    /// Node 3 has two inputs, node 2 one.
    @Test(arguments: [
        (3 as UInt32, "Array<Item>", 0 as UInt64, Remedy.Kind.narrowInput as Remedy.Kind?),
        (3, "Cart.Item?", 1, .narrowInput),
        (3, "Bool", 0, nil), (3, "Int?", 0, nil), (3, "Optional<String>", 0, nil), (3, "UInt8", 3, nil),
        (3, "Array<Item>", 4, .settled), (3, "Bool", 4, .settled), (2, "Array<Item>", 0, nil), (2, "Bool", 4, nil),
    ])
    func `a vain evaluation has a remedy only if that helps`(
        _ node: UInt32, _ type: String, _ again: UInt64, _ expected: Remedy.Kind?
    ) throws {
        var definitions = Cart.definitions()
        for id in definitions.nodes.keys { definitions.nodes[id]?.valueType = type }
        let via = try #require(definitions.subscriptions.values.filter { $0.target == node }.map(\.id).min())
        var tally = RuleTally.made(.noopEvaluation, node: node, count: 4, via: via)
        tally.again = again
        let finding = try #require(findings([tally], definitions).first)
        #expect(finding.remedy?.kind == expected && finding.severity == .note)
    }

    @Test func `a remedy is to be applied where a node is computed, be it made elsewhere`() throws {
        var definitions = Cart.definitions()
        definitions.subscriptions[2]?.site?.line = 40
        definitions.subscriptions[3]?.site?.line = 41
        let glitch = try #require(findings([.made(.glitch, node: 3)], definitions).first)
        #expect(glitch.remedy?.site?.line == 40 && glitch.site?.line == 18)
        let vain = try #require(findings([.made(.noopEvaluation, node: 3, via: 3)], definitions).first)
        #expect(vain.remedy?.site?.line == 41)
    }

    @Test func `a fingerprint stays the same when lines have moved, and is one for each finding`() {
        let tallies: [RuleTally] = [
            .made(.glitch, node: 3), .made(.glitch, node: 4), .made(.glitch, node: 5), .made(.feedback, node: 3),
            .made(.burst, node: 1, subscription: 5), .made(.burst, node: 1, subscription: 6),
            .made(.burst, node: 10, subscription: 10),
        ]
        func fingerprints(_ tallies: [RuleTally], _ definitions: TraceDefinitions) -> [String] {
            findings(tallies, definitions).map(\.fingerprint)
        }
        let here = fingerprints(tallies, Cart.definitions())
        #expect(Set(here).count == tallies.count)
        #expect(here.allSatisfy { $0.count == 16 && $0.allSatisfy(\.isHexDigit) })
        #expect(fingerprints(tallies, Cart.definitions(shift: 100)) == here)
        // Neither the other findings nor the choice of the instance make a difference.
        let second = RuleTally.made(.burst, node: 1, subscription: 6)
        #expect(here.contains(fingerprints([second], Cart.definitions())[0]))
        #expect(here.contains(fingerprints([.made(.burst, node: 11, subscription: 11)], Cart.definitions())[0]))
        // Among equals, the order of lines decides: here the two maps have changed places.
        var swapped = Cart.definitions()
        swapped.nodes[4]?.site = Cart.definitions().nodes[5]?.site
        swapped.nodes[5]?.site = Cart.definitions().nodes[4]?.site
        let one = fingerprints([.made(.glitch, node: 4)], Cart.definitions())
        #expect(fingerprints([.made(.glitch, node: 5)], swapped) == one)
        #expect(fingerprints([.made(.glitch, node: 4)], swapped) != one)
    }

    @Test func `the fingerprint of a finding is this one in every version`() {
        #expect(findings([.made(.glitch, node: 3)]).map(\.fingerprint) == ["57411ec4fb100a50"])
        #expect(findings([.made(.burst, node: 1, subscription: 6)]).map(\.fingerprint) == ["00bcfdeee4ebe547"])
    }

    @Test func `what is meant so is distinguished, with the reason, and is no fault`() throws {
        var definitions = Cart.definitions()
        definitions.intentions[1] = [
            TraceIntention(node: 1, rule: "glitch", reason: "no"),
            TraceIntention(node: 1, rule: "burst", reason: "a progress bar"),
        ]
        let tallies: [RuleTally] = [
            .made(.burst, node: 1, subscription: 5), .made(.unobserved, node: 1), .made(.noopEvaluation, node: 3),
        ]
        let findings = Findings(tallies, definitions)
        let intended = try #require(findings.intended.first)
        #expect(findings.intended.count == 1 && intended.rule == .burst && intended.intention == "a progress bar")
        #expect(findings.found.map(\.rule) == [.unobserved, .noopEvaluation])
        #expect(!findings.hasFaults)
        #expect(Findings(tallies, Cart.definitions()).hasFaults)
        #expect(intended.fingerprint == Findings(tallies, Cart.definitions()).found[0].fingerprint)
    }

    @Test func `with nodes asked for, only findings at these, or feeding these, are left`() {
        let tallies: [RuleTally] = [
            .made(.glitch, node: 3), .made(.burst, node: 1, subscription: 5),
            .made(.zombieRefresh, node: 1, subscription: 1),
        ]
        func rules(_ nodes: Set<UInt32>) -> Set<RedundancyRule> {
            Set(Findings(tallies, Cart.definitions(), nodes: nodes).found.map(\.rule))
        }
        #expect(rules([3]) == [.glitch])
        #expect(rules([1]) == [.burst, .zombieRefresh])
        #expect(rules([2]) == [.zombieRefresh])
        #expect(rules([]) == [])
    }

    @Test func `sums of numbers that no program could have counted do not trap`() throws {
        let tallies = [10, 11].map { id in
            RuleTally.made(
                .burst, node: id, subscription: id, count: .max, refreshes: .max, wasted: .max, within: .max)
        }
        #expect(findings(tallies).count == 1)
    }
}
