import Foundation
import Testing
import WeirTrace

@testable import WeirAnalysis
@testable import WeirReport

extension OtherProcesses {
    /// Each remedy for a leak, applied as worded: the finding goes, and none comes.
    @Suite struct LeakRemedyTests {
        /// A program of `WeirLeakyPrograms`, its finding and the text of the remedy, without lines of the program.
        struct Leak: CustomTestStringConvertible, Sendable {
            let name: String
            let rule: LeakRule
            let remedy: LeakRemedy.Kind
            let says: String
            /// Whether a subscription stays open, which the program had before.
            let leavesNote: Bool
            /// Whether the finding is a note.
            let isNote: Bool
            /// How many other closures and tasks the finding names.
            let others: Int

            init(
                _ name: String, _ rule: LeakRule, _ remedy: LeakRemedy.Kind, says: String, leavesNote: Bool = false,
                isNote: Bool = false, others: Int = 0
            ) {
                (self.name, self.rule, self.remedy, self.says) = (name, rule, remedy, says)
                (self.leavesNote, self.isNote, self.others) = (leavesNote, isNote, others)
            }

            var testDescription: String { name }
        }

        private static func capturing(_ type: String) -> String {
            "capture \(type) weakly in the handler of the subscription made, and dispose the subscription with its owner, if no "
                + "bag does so yet: `.disposed(by: bag)`"
        }

        private static func cancelling(_ how: String) -> String {
            "cancel the task made when this should go, \(how)"
        }

        private static let inLoopOfChild = "and hold Contacts weakly in it and in the loop of its child task made"

        static let leaks: [Leak] = [
            Leak("session", .outlivedScope, .dispose, says: capturing("UserScreen")),
            Leak("ended session", .retainCycle, .captureWeakly, says: "capture [weak self]"),
            Leak("own observable", .retainCycle, .captureWeakly, says: "capture [weak self]"),
            Leak("map", .retainCycle, .captureWeakly, says: "capture [weak self]"),
            Leak("observer", .retainCycle, .captureWeakly, says: "capture [weak self]"),
            Leak("flatMap", .retainCycle, .captureWeakly, says: "capture [weak self]"),
            Leak("interval", .outlivedScope, .dispose, says: capturing("Clock")),
            Leak("command", .retainCycle, .captureWeakly, says: "capture [weak self]"),
            Leak("combine", .retainCycle, .captureWeakly, says: "capture [weak self]"),
            Leak("stored closure", .retainCycle, .captureWeakly, says: "capture [weak self]"),
            Leak("nested closures", .retainCycle, .captureWeakly, says: "capture [weak self]"),
            Leak(
                "recursion", .retainCycle, .endRecursion,
                says: "set the variable that holds the closure to nil when it is done, or make the closure a function"),
            Leak(
                "callbacks of a service", .outlivedScope, .captureWeakly,
                says:
                    "capture PlayerScreen weakly, or remove the closure from .callbacks of PlayerService when it is no "
                    + "longer wanted"),
            Leak("bind", .retainCycle, .captureWeakly, says: "capture [weak self]"),
            Leak("cells", .retainCycle, .captureWeakly, says: "capture [weak self]"),
            Leak(
                "delegate", .retainCycle, .holdWeakly, says: "hold the delegate of Table weakly: `weak var delegate`"),
            Leak("parent", .retainCycle, .holdWeakly, says: "hold .parent of Leaf weakly: `weak var parent`"),
            Leak(
                "coordinator", .retainCycle, .holdWeakly,
                says: "hold .coordinator of Router weakly: `weak var coordinator`"),
            Leak(
                "pages", .retainCycle, .holdWeakly, says: "hold .previous of LinkedPage weakly: `weak var previous`"),
            Leak("held cycle", .heldCycle, .holdWeakly, says: "hold .owner of Pet weakly: `weak var owner`"),
            Leak(
                "presenter", .retainCycle, .holdWeakly, says: "hold .presenter of Sheet weakly: `weak var presenter`"),
            Leak(
                "any value", .retainCycle, .breakCycle,
                says: "clear .userInfo of Panel when this should go, or hold the object weakly in it"),
            Leak(
                "tuple", .retainCycle, .breakCycle,
                says: "clear .position of Marker when this should go, or hold the object weakly in it"),
            Leak(
                "enumeration", .retainCycle, .breakCycle,
                says: "clear .phase of Upload when this should go, or hold the object weakly in it"),
            Leak("static array", .outlivedScope, .letGo, says: "remove it from static Cache.screens"),
            Leak("static variable", .outlivedScope, .letGo, says: "remove it from static Cache.last"),
            Leak("list of a service", .outlivedScope, .letGo, says: "release it in Registry: .screens holds it"),
            Leak("dictionary", .outlivedScope, .letGo, says: "release it in Registry: .byName holds it"),
            Leak("no bag", .outlivedScope, .dispose, says: capturing("Screen")),
            Leak("no bag, no expectation", .undisposed, .dispose, says: capturing("Screen")),
            Leak(
                "round trips", .growth, .endEarlier, says: "end what the line makes in one round before the next begins"
            ),
            Leak(
                "growing list", .growth, .endEarlier,
                says: "release the objects of Screen made in one round before the next begins"),
            Leak("bag of the app", .outlivedScope, .dispose, says: capturing("Screen")),
            Leak("render", .outlivedScope, .captureWeakly, says: "capture SettingsScreen weakly", leavesNote: true),
            Leak(
                "method", .retainCycle, .captureWeakly,
                says: "replace the method reference in Panel.init() by a closure that captures [weak self]"),
            Leak("lazy", .retainCycle, .captureWeakly, says: "capture [weak self]"),
            Leak("bag in its handler", .retainCycle, .captureWeakly, says: "capture DisposeBag weakly"),
            Leak(
                "value of an observable", .retainCycle, .holdWeakly,
                says: "hold .list of LinkedItem weakly: `weak var list`"),
            Leak("own bag", .outlivedScope, .dispose, says: capturing("NameScreen")),
            Leak("map of a service", .outlivedScope, .captureWeakly, says: "capture GreetingScreen weakly"),
            Leak("combiner of a service", .outlivedScope, .captureWeakly, says: "capture LengthScreen weakly"),
            Leak("static session", .outlivedScope, .dispose, says: capturing("AccountScreen")),
            Leak("orphan", .undisposed, .dispose, says: "dispose the subscription made: `.disposed(by: bag)`"),
            Leak("struct of closures", .retainCycle, .captureWeakly, says: "capture [weak self]"),
            Leak("operators", .retainCycle, .captureWeakly, says: "capture [weak self]"),
            Leak("handlers", .retainCycle, .captureWeakly, says: "capture [weak self]"),
            Leak("throttle", .retainCycle, .captureWeakly, says: "capture [weak self]"),
            Leak(
                "task", .outlivedScope, .cancelTask,
                says: cancelling("capture Feed weakly in it, and keep no strong reference to it across an await")),
            Leak(
                "awaited method", .outlivedScope, .cancelTask, says: cancelling("and hold Poller weakly while it waits")
            ),
            Leak("stream", .outlivedScope, .cancelTask, says: cancelling("and hold Ticker weakly in its loop")),
            Leak("values", .outlivedScope, .cancelTask, says: cancelling("and hold Follower weakly in its loop")),
            Leak("loop", .outlivedScope, .cancelTask, says: cancelling("and hold Listener weakly in its loop")),
            Leak(
                "own values", .outlivedScope, .cancelTask,
                says: cancelling("and hold Status weakly in its loop: `[weak self, values = status.values]`")),
            Leak(
                "request", .outlivedScope, .cancelTask,
                says: cancelling("capture Request weakly in it, and keep no strong reference to it across an await")),
            Leak(
                "dispatch timer", .outlivedScope, .stopCaller,
                says: "cancel what calls the closure when this should go, and capture Stopwatch weakly in it"),
            Leak(
                "timer", .outlivedScope, .stopCaller,
                says: "invalidate the timer made when this should go, and capture Clock weakly in its closure"),
            Leak(
                "undo", .outlivedScope, .captureWeakly,
                says: "capture Item weakly, or remove the closure from .undos of UndoStack when it is no longer wanted"),
            Leak(
                "registered undo", .outlivedScope, .captureWeakly,
                says: "capture Item weakly, or remove the closure from .undos of UndoStack when it is no longer wanted"),
            Leak(
                "token", .outlivedScope, .resumeContinuation,
                says: "resume the continuation that Tokens.load() waits for"),
            Leak(
                "view of a presenter", .retainCycle, .holdWeakly,
                says: "hold .view of Presenter weakly: `weak var view`"),
            Leak(
                "delegates", .retainCycle, .removeFromCollection,
                says: "hold Room weakly in .delegates of Multicast, or remove it from there when this should go"),
            Leak(
                "stack", .retainCycle, .holdWeakly,
                says: "hold .coordinator of StackModel weakly: `weak var coordinator`"),
            Leak(
                "plugin", .retainCycle, .removeFromCollection,
                says:
                    "hold PluginHost weakly in .plugins[…].host of PluginHost, or remove it from there when this should go"
            ),
            Leak(
                "autoclosure", .retainCycle, .takeValueFirst,
                says:
                    "take the value that the autoclosure in LoggedModel.init() needs before the call: an autoclosure cannot "
                    + "capture self weakly"),
            Leak(
                "continuation", .outlivedScope, .resumeContinuation,
                says: "resume the continuation that Picker.pick() waits for"),
            Leak("group", .outlivedScope, .cancelTask, says: cancelling(inLoopOfChild)),
            Leak("throwing group", .outlivedScope, .cancelTask, says: cancelling(inLoopOfChild)),
            Leak("discarding group", .outlivedScope, .cancelTask, says: cancelling(inLoopOfChild)),
            Leak(
                "async let", .outlivedScope, .resumeContinuation,
                says: "resume the continuation that Dashboard.measure() waits for"),
            Leak("work item", .retainCycle, .captureWeakly, says: "capture [weak self]"),
            Leak("unfolding", .retainCycle, .captureWeakly, says: "capture [weak self]"),
            Leak("termination", .retainCycle, .captureWeakly, says: "capture [weak self]"),
            Leak(
                "termination of a loop", .outlivedScope, .captureWeakly, says: "capture Room weakly"),
            Leak(
                "shared task", .outlivedScope, .cancelTask,
                says:
                    "hold Inbox weakly while the task made waits, or cancel the task made if nothing else needs it"),
            Leak("saving", .outlivedScope, .awaitWork, says: "await its work before checkpoint “closed”"),
            Leak(
                "messages", .growth, .endEarlier,
                says: "if the list should not grow, remove from .messages of Chat what is no longer needed",
                isNote: true),
            Leak(
                "operation", .outlivedScope, .stopCaller,
                says: "end the operation made when this should go, and capture Encoder weakly in its closure"),
            Leak(
                "thread", .outlivedScope, .stopCaller,
                says: "end the thread made when this should go, and capture Encoder weakly in its closure"),
            Leak(
                "first", .outlivedScope, .cancelTask,
                says: cancelling("capture Welcome weakly in it, and keep no strong reference to it across an await")),
            Leak(
                "two tasks", .outlivedScope, .cancelTask, says: cancelling("and hold Player weakly in its loop"),
                others: 1
            ),
            Leak(
                "two children", .outlivedScope, .cancelTask,
                says: cancelling("and hold Gallery weakly in it and in the loop of its child task made"), others: 1),
            Leak(
                "growing cache", .growth, .endEarlier,
                says: "if it should not grow, remove from static Cache.screens what is no longer needed"),
            Leak("three handlers", .outlivedScope, .dispose, says: capturing("Header"), others: 2),
            Leak(
                "routes", .outlivedScope, .captureWeakly,
                says:
                    "replace the method reference in Page.appear(_:) by a closure that captures Page weakly, or remove the closure "
                    + "from .handlers of Router when it is no longer wanted",
                others: 1),
            Leak(
                "helper of a timer", .outlivedScope, .stopCaller,
                says: "invalidate the timer made when this should go, and capture Gauge weakly"),
            Leak(
                "helper of a subscription", .outlivedScope, .dispose,
                says: "capture Avatar weakly, and dispose the subscription made with its owner, if no bag does so yet: "
                    + "`.disposed(by: bag)`"),
            Leak("debouncer", .outlivedScope, .cancelTask, says: cancelling("and capture Suggestions weakly")),
            Leak(
                "proxy", .outlivedScope, .holdWeakly,
                says: "hold .target of ShakeProxy weakly: `weak var target`"),
            Leak(
                "timer of a presenter", .outlivedScope, .stopCaller,
                says: "invalidate the timer made when this should go, and hold .screen of RatingPresenter weakly: "
                    + "`weak var screen`"),
            Leak(
                "mapped sequence", .outlivedScope, .cancelTask,
                says: cancelling("hold Ticker weakly in its loop, and capture Ticker weakly")),
            Leak(
                "nested concurrent closure", .retainCycle, .captureWeakly,
                says: "capture [weak self], and again in each `@Sendable` closure inside it that uses self"),
        ]

        /// The remedies in programs that were built for release, if they differ: the compiler folds closures that do the same, which then
        /// have no line, and inlines functions that wait for a continuation.
        static let inRelease: [String: (remedy: LeakRemedy.Kind, says: String)] = [
            "stored closure": (.captureWeakly, "capture [weak self] in closure #2 in Dialog.init()"),
            "work item": (.captureWeakly, "capture [weak self] in closure #2 in Search.type()"),
            "plugin": (
                .removeFromCollection,
                "hold PluginHost weakly in .plugins of PluginHost, or remove it from there when this should go"
            ),
            "awaited method": (
                .cancelTask,
                cancelling("capture Poller weakly in it, and keep no strong reference to it across an await")
            ),
            "continuation": (
                .cancelTask,
                cancelling(
                    "and hold Picker weakly while it waits, or resume the continuation if Picker.pick() waits for one")
            ),
            "async let": (
                .cancelTask,
                cancelling(
                    "and hold Dashboard weakly in it and in its `async let` while that waits, or resume the continuation if "
                        + "Dashboard.measure() waits for one")
            ),
            "token": (
                .cancelTask,
                "hold Profile weakly while the task made waits, or cancel the task made if nothing else needs it"
            ),
            "dispatch timer": (.letGo, "release it where it is held from outside"),
            "helper of a timer": (
                .stopCaller,
                "invalidate the timer made when this should go, and capture Gauge weakly in closure #2 in Gauge.start()"
            ),
            "debouncer": (
                .cancelTask, cancelling("and capture Suggestions weakly in closure #2 in Suggestions.debouncer")
            ),
            "operation": (
                .stopCaller,
                "end the operation made with the closure drawn above when this should go, and capture Encoder weakly in its closure"
            ),
        ]

        /// `.ci/run` names a folder with programs that were built for release.
        private static let isRelease = ProcessInfo.processInfo.environment["WEIR_PROGRAMS"] != nil

        /// One after the other: a walk of the heap has ten seconds, and on a busy machine dozens at once take longer.
        @Test(.serialized, arguments: leaks)
        func `The remedy cures the leak, and brings no other finding`(_ leak: Leak) throws {
            let ill = try Judgement(leak.name)
            let faults = ill.findings.filter { leak.isNote || $0.finding.severity > .note }
            #expect(faults.map(\.finding.rule) == [leak.rule], "\(ill.text)")
            let found = try #require(ill.findings.first { $0.finding.rule == leak.rule }, "\(ill.text)")
            let other = Self.isRelease ? Self.inRelease[leak.name] : nil
            #expect(found.finding.remedy.kind == other?.remedy ?? leak.remedy, "\(ill.text)")
            #expect(found.remedy == other?.says ?? leak.says, "\(ill.text)")
            let others = found.finding.otherCaptures.count + found.finding.otherTasks.count
            #expect(others == leak.others, "\(ill.text)")
            if let site = found.finding.remedy.site, other == nil {
                #expect(try isMarked(site), "\(site) does not leak")
            }
            let cured = try Judgement(leak.name, "cured")
            let notes: [LeakRule] = leak.leavesNote ? [.undisposed] : []
            #expect(cured.findings.map(\.finding.rule) == notes, "\(cured.text)")
            #expect(cured.findings.allSatisfy { $0.finding.severity == .note }, "\(cured.text)")
        }

        @Test func `The programs cover each kind of remedy`() {
            #expect(Self.leaks.count >= 60)
            #expect(Set(Self.leaks.map(\.name)).count == Self.leaks.count, "each has a name of its own")
            #expect(Set(Self.leaks.map(\.rule)) == Set(LeakRule.allCases))
        }

        /// Whether the program marks the line as the one that leaks.
        private func isMarked(_ site: TraceSite) throws -> Bool {
            let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
            let source = try String(contentsOf: tests.appendingPathComponent(site.file), encoding: .utf8)
            let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
            return lines.indices.contains(Int(site.line) - 1) && lines[Int(site.line) - 1].hasSuffix("// leaks")
        }

        private struct Judgement {
            var findings: [(finding: LeakFinding, remedy: String?)] = []
            let text: String

            init(_ arguments: String...) throws {
                let file = try TemporaryTrace()
                let environment = ["WEIR_TRACE": file.path, "WEIR_SNAPSHOTS": "standard"]
                _ = try BuiltProgram("WeirLeakyPrograms").output(arguments, environment: environment)
                let reader = try TraceReader(path: file.path)
                let pass = LeakPass(reader, Topology(try reader.definitions()))
                let all = LeakFindings(pass, reader, snapshot: reader.snapshot)
                text = LeakReport(pass, all, snapshot: reader.snapshot).text()
                findings = all.found.map { finding in
                    let snapshot = (finding.snapshot ?? pass.snapshot).flatMap(reader.snapshot) ?? TraceSnapshot()
                    let words = LeakDrawing(finding, in: snapshot, pass.topology.definitions).words
                    return (finding, words.remedy?.withoutLines)
                }
                #expect(reader.damage.isEmpty)
            }
        }
    }
}
