#if os(Linux)
import Foundation
import Testing
import Weir
import WeirTesting
import WeirTrace
import XCTest

/// Recorded tests, seen from outside: another process of these tests runs `Trial` and `RecordedCase` below.
extension OtherProcesses {
    @Suite struct RecordedProcessTests {
        private let folder: TemporaryTrace
        private var traces: String { folder.folder + "/traces" }
        private var attachments: String { folder.folder + "/attachments" }

        init() throws {
            folder = try TemporaryTrace()
            try FileManager.default.createDirectory(atPath: attachments, withIntermediateDirectories: true)
        }

        private func run(_ arguments: [String], environment: [String: String]) throws -> Answer {
            let tests = try BuiltProgram((CommandLine.arguments[0] as NSString).lastPathComponent)
            let quiet = ["WEIR_TRACE": "", "WEIR_TRACES": "", isTrial: "1"]
            return try tests.run(
                arguments, environment: quiet.merging(environment) { $1 }, isHeardWhole: true)
        }

        private func runTrial(_ filter: String, environment: [String: String]) throws -> Answer {
            let options = ["--testing-library", "swift-testing", "--attachments-path", attachments]
            return try run(options + ["--filter", "Trial/\(filter)"], environment: environment)
        }

        private func names(in folder: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        }

        /// The values of each emission, in the order of their nodes' names.
        private func values(in name: String) throws -> [String] {
            let recording = try Recording(reading: "\(traces)/\(name)")
            #expect(recording.header.isClosed && recording.damage.isEmpty)
            return recording.events.filter { $0.kind == .emitted }.map { "\($0.value)" }
        }

        @Test func `Each test gets a trace, and a failed one has it attached`() throws {
            let answer = try runTrial("CartTests", environment: ["WEIR_TRACES": traces])
            #expect(answer.isExit && answer.status == 1, "\(answer.text)")
            #expect(!answer.text.contains("weir: "), "\(answer.text)")
            let expected = [
                "Trial.CartTests.a-price-tax--in---.weir", "Trial.CartTests.amount-2.weir",
                "Trial.CartTests.amount-3.weir", "Trial.CartTests.amount.weir", "Trial.CartTests.closing.weir",
                "Trial.CartTests.failing.weir", "Trial.CartTests.known.weir", "Trial.CartTests.nested.weir",
                "Trial.CartTests.throwing.weir", "Trial.CartTests.twice.weir",
            ]
            #expect(try names(in: traces) == expected)
            for name in expected {
                #expect(try values(in: name).count == 1, "\(name)")
            }
            #expect(try Set((1...3).flatMap { try values(in: expected[$0]) }).count == 3)
            #expect(
                try names(in: attachments) == ["Trial.CartTests.failing.weir", "Trial.CartTests.throwing.weir"])
            let attached = try Recording(reading: "\(attachments)/Trial.CartTests.failing.weir")
            #expect(attached.header.isClosed && attached.count(.emitted) == 1)
        }

        @Test func `Without a folder, a sentence names a temporary one, once`() throws {
            let answer = try runTrial("CartTests/(amount|closing)", environment: [:])
            #expect(answer.isExit && answer.status == 0, "\(answer.text)")
            let sentences = answer.text.split(separator: "\n").filter { $0.hasPrefix("weir: ") }
            #expect(sentences.count == 1)
            let words = try #require(sentences.first).dropLast("; WEIR_TRACES names another folder".count)
            let named = words.dropFirst("weir: the traces of recorded tests are in ".count)
            defer { try? FileManager.default.removeItem(atPath: String(named)) }
            #expect(try names(in: String(named)).count == 4)
        }

        @Test func `A recording of the whole process replaces those of its tests`() throws {
            let whole = folder.folder + "/whole.weir"
            let answer = try runTrial(
                "CartTests/closing", environment: ["WEIR_TRACE": whole, "WEIR_TRACES": traces])
            #expect(answer.isExit && answer.status == 0, "\(answer.text)")
            #expect(!FileManager.default.fileExists(atPath: traces))
            #expect(try Recording(reading: whole).count(.emitted) == 1)
        }

        @Test func `A trace contains what other tests do meanwhile, and no other recorded test`() throws {
            let answer = try runTrial("(Recorded|Plain)Meeting", environment: ["WEIR_TRACES": traces])
            #expect(answer.isExit && answer.status == 0, "\(answer.text)")
            let expected = ["Trial.RecordedMeeting.first.weir", "Trial.RecordedMeeting.second.weir"]
            #expect(try names(in: traces) == expected)
            let found = try expected.map { Set(try values(in: $0)) }
            // The test without the trait waited for one of the recorded tests.
            #expect(found.filter { $0.contains("\"plain\"") }.count == 1, "\(found)")
            #expect(found.map { $0.subtracting(["\"plain\""]) } == [["\"first\""], ["\"second\""]])
        }

        @Test func `The same holds for XCTest`() throws {
            let answer = try run(["WeirTests.RecordedCase"], environment: ["WEIR_TRACES": traces])
            #expect(answer.isExit && answer.status == 1, "\(answer.text)")
            let expected = [
                "RecordedCase.testFailing.weir", "RecordedCase.testPassing.weir", "RecordedCase.testThrowing.weir",
                "RecordedCase.testWaiting.weir",
            ]
            #expect(try names(in: traces) == expected)
            for name in expected {
                #expect(try values(in: name).count == 1, "\(name)")
            }
            let sentences = answer.text.split(separator: "\n").filter { $0.hasPrefix("weir: ") }
            #expect(
                sentences == [
                    "weir: RecordedCase.testFailing failed; its trace is \(traces)/RecordedCase.testFailing.weir",
                    "weir: RecordedCase.testThrowing failed; its trace is \(traces)/RecordedCase.testThrowing.weir",
                ])
        }
    }
}

private let isTrial = "WEIR_TRIAL_OF_RECORDED_TESTS"
private var isInTrial: Bool { ProcessInfo.processInfo.environment[isTrial] != nil }

private struct Stop: Error {}

private final class Cart {
    let amount = Observable(0)
    var isEmpty: Bool { amount.value == 0 }
}

@Suite(.enabled(if: isInTrial)) private enum Trial {
    /// `closing` stands on the page 'Recorded tests'.
    @Suite(.recorded) struct CartTests {
        @Test func closing() {
            let cart = Cart()
            Trace.stimulus("add") { cart.amount.value = 1 }
            #expect(!cart.isEmpty)
        }

        @Test(arguments: [2, 3, 4]) func amount(number: Int) {
            Cart().amount.value = number
        }

        @Test func `a price/tax (in €)`() {
            Cart().amount.value = 1
        }

        @Test func failing() {
            let cart = Cart()
            cart.amount.value = 1
            #expect(cart.isEmpty)
        }

        @Test func throwing() throws {
            Cart().amount.value = 1
            throw Stop()
        }

        @Test func known() {
            Cart().amount.value = 1
            withKnownIssue { Issue.record("not a failure") }
        }

        /// The suite's trait records it; its own one must not wait for that.
        @Test(.recorded) func twice() {
            Cart().amount.value = 1
        }

        @Test func nested() async {
            Cart().amount.value = 1
            await #expect(throws: TraceWriterError.self) {
                _ = try await Trace.withRecording { await Task.yield() }
            }
        }
    }

    enum Moment { case none, recording, done }
    static let moment = Locked(Moment.none)

    static func wait(until isReached: (Moment) -> Bool) async throws {
        while !isReached(moment.value) { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Suite(.recorded) struct RecordedMeeting {
        private func meet(_ name: String) async throws {
            Observable("").value = name
            moment.change { if $0 == .none { $0 = .recording } }
            try await wait { $0 == .done }
        }

        @Test func first() async throws { try await meet("first") }
        @Test func second() async throws { try await meet("second") }
    }

    @Suite struct PlainMeeting {
        @Test func meeting() async throws {
            try await wait { $0 == .recording }
            Observable("").value = "plain"
            moment.change { $0 = .done }
        }
    }
}

final class RecordedCase: XCTestCase {
    override func setUpWithError() throws {
        try XCTSkipUnless(isInTrial, "runs in a process of RecordedProcessTests")
        try recordTrace()
    }

    func testPassing() { Cart().amount.value = 1 }

    func testWaiting() async {
        await Task.yield()
        Cart().amount.value = 1
    }

    func testFailing() {
        Cart().amount.value = 1
        XCTFail("on purpose")
    }

    func testThrowing() throws {
        Cart().amount.value = 1
        throw Stop()
    }
}
#endif
