import Dispatch
import Foundation
import Observation
import Testing
import WeirAnalysis
import WeirReport
import WeirTrace

@testable import Weir

private final class ShopModel: @unchecked Sendable {  // Each one is used by one thread.
    let name = Observable("")
    let count = Observable(0)
    let tapped = Emitter<Int>()
    let items = ObservableArray<Int>([])
    @Traced var title = ""
    let label = Observable("")
    let upper = Observable("")
    lazy var isValid = Observable.combine(name) { !$0.isEmpty }

    @inline(never) func assign(_ text: String) -> Int {
        name.value = text
        return #line - 1
    }

    @inline(never) func modify() -> Int {
        count.modify { $0 += 1 }
        return #line - 1
    }

    @inline(never) func add() -> Int {
        count.value += 1
        return #line - 1
    }

    @inline(never) func emit() -> Int {
        tapped.emit(1)
        return #line - 1
    }

    @inline(never) func append() -> Int {
        items.append(1)
        return #line - 1
    }

    @inline(never) func changeTitle() -> Int {
        title = "Shop"
        return #line - 1
    }

    /// A setter of the model's own only passes the value on.
    var nickname: String {
        get { name.value }
        set { name.value = newValue }
    }

    @inline(never) func changeNickname() -> Int {
        nickname = "Momo"
        return #line - 1
    }
}

@Observable
private final class SettingsModel {
    var volume = 0
    var isMuted = false

    @inline(never) func louder() -> Int {
        volume += 1
        return #line - 1
    }

    @inline(never) func mute() -> Int {
        isMuted = true
        return #line - 1
    }
}

/// The function and line of each write of a node, in order, as the trace has them.
private struct Writes {
    let recording: Recording

    func of(_ name: String) -> [TraceWriteSite] {
        recording.events.filter { $0.kind == .written && recording.name($0.subject) == name }
            .compactMap(recording.definitions.writeSite)
    }

    /// One write, in a function whose last but one line makes it.
    func expect(
        _ name: String, in function: String, at line: Int, isChange: Bool = false,
        at location: SourceLocation = #_sourceLocation
    ) {
        let sites = of(name)
        #expect(sites.count == 1, sourceLocation: location)
        guard let site = sites.first else { return }
        #expect(site.function == function, sourceLocation: location)
        #expect(site.site?.file == "WeirTests/WriteSiteTests.swift", sourceLocation: location)
        #if DEBUG
        // The compiler gives the beginning of a change in place the line of the function.
        #expect(site.site?.line == line || isChange && site.site?.line == line - 1, sourceLocation: location)
        #else
        // If code was inlined, it is a line of that, or the line of the function.
        #expect((site.site?.line ?? 0) > 0, sourceLocation: location)
        #endif
    }
}

private func recordWithWriteSites(_ isOn: Bool = true, _ body: () throws -> Void) throws -> Writes {
    let file = try TemporaryTrace()
    try Trace.start(writingTo: file.path, clock: VirtualClock(), snapshots: .none, writeSites: isOn)
    do {
        defer { Trace.stop() }
        try body()
    }
    return Writes(recording: try Recording(reading: file.path))
}

extension Everything {
    @Suite struct WriteSiteTests {
        // On the main queue, which records the last write to an observed model.
        @Test @MainActor func `Each kind of write has its function and line`() throws {
            let (model, settings) = (ShopModel(), SettingsModel())
            model.tapped.subscribe { _ in }
            var lines: [String: Int] = [:]
            let writes = try recordWithWriteSites {
                Trace.adopt(model)
                lines["assign"] = model.assign("Maruko")
                lines["modify"] = model.modify()
                lines["emit"] = model.emit()
                lines["append"] = model.append()
                lines["title"] = model.changeTitle()
                if #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) {
                    Trace.observe(settings)
                    lines["volume"] = settings.louder()
                    lines["mute"] = settings.mute()
                }
            }
            writes.expect("ShopModel.name", in: "ShopModel.assign(_:)", at: try #require(lines["assign"]))
            writes.expect("ShopModel.count", in: "ShopModel.modify()", at: try #require(lines["modify"]))
            writes.expect("ShopModel.tapped", in: "ShopModel.emit()", at: try #require(lines["emit"]))
            writes.expect("ShopModel.items", in: "ShopModel.append()", at: try #require(lines["append"]))
            writes.expect("ShopModel.title", in: "ShopModel.changeTitle()", at: try #require(lines["title"]))
            #if !canImport(Darwin)
            writes.expect(
                "SettingsModel.volume", in: "SettingsModel.louder()", at: try #require(lines["volume"]), isChange: true)
            writes.expect("SettingsModel.isMuted", in: "SettingsModel.mute()", at: try #require(lines["mute"]))
            #endif
        }

        @Test func `A change in place and a setter of the program name the function that uses them`() throws {
            let model = ShopModel()
            var lines: [Int] = []
            let writes = try recordWithWriteSites {
                Trace.adopt(model)
                lines = [model.add(), model.changeNickname()]
            }
            writes.expect("ShopModel.count", in: "ShopModel.add()", at: lines[0])
            writes.expect("ShopModel.name", in: "ShopModel.changeNickname()", at: lines[1])
        }

        @Test func `A handler writes, Weir's own nodes and bindings do not`() throws {
            let model = ShopModel()
            let handler = model.name.subscribe { [label = model.label] in label.value = "Hello \($0)" }
            let binding = model.label.map { $0.uppercased() }.bind(to: model.upper)
            let valid = model.isValid
            valid.subscribe { _ in }
            let writes = try recordWithWriteSites {
                Trace.adopt(model)
                _ = model.assign("Maruko")
            }
            #expect(writes.of("ShopModel.name").count == 1)
            #expect(writes.of("ShopModel.label").count == 1)
            let function = try #require(writes.of("ShopModel.label").first?.function)
            #expect(function.hasPrefix("closure #1 in Everything.WriteSiteTests."))
            #expect(writes.recording.emissions(of: "ShopModel.upper") == [.string("HELLO MARUKO")])
            #expect(writes.recording.emissions(of: "ShopModel.isValid") == [.bool(true)])
            #expect(writes.recording.count(.written) == 2)
            withExtendedLifetime((handler, binding)) {}
        }

        @Test func `A suppressed write has its line`() throws {
            let model = ShopModel()
            let writes = try recordWithWriteSites {
                Trace.adopt(model)
                _ = model.assign("")
                Trace.stimulus("batch") { batch { _ = model.assign("Maruko") } }
            }
            let sites = writes.of("ShopModel.name").map(\.function)
            #expect(sites.prefix(2) == ["ShopModel.assign(_:)", "ShopModel.assign(_:)"])
            let suppressed = writes.recording.events.filter { $0.kind == .suppressed }
            #expect(suppressed.map(\.suppressionReason) == [.equal, .batched])
            for event in suppressed {
                let before = writes.recording.events.first {
                    $0.id.thread == event.id.thread && $0.id.sequence + 1 == event.id.sequence
                }
                #expect(before?.kind == .written)
                #expect(before?.subject == event.subject)
            }
        }

        @Test func `What a batch emits at its end has the line of its last write`() throws {
            let model = ShopModel()
            var line = 0
            let writes = try recordWithWriteSites {
                Trace.adopt(model)
                batch {
                    model.name.value = "first"
                    _ = model.assign("Maruko")
                }
                // It ends with the value from before.
                batch {
                    _ = model.assign("other")
                    line = #line + 1
                    model.name.value = "Maruko"
                }
                model.name.value = "later"
            }
            let emissions = writes.recording.events.enumerated().filter { $1.kind == .emitted }
            let sites = emissions.compactMap { place, event in
                let before = writes.recording.events[..<place].last { $0.id.thread == event.id.thread }
                return before.flatMap {
                    $0.kind == .written ? writes.recording.definitions.writeSite(of: $0)?.function : nil
                }
            }
            #expect(sites.count == 2)
            #expect(sites.first == "ShopModel.assign(_:)")
            let restored = try #require(
                writes.recording.events.firstIndex { $0.kind == .suppressed && $0.suppressionReason == .equal })
            let write = writes.recording.events[restored - 1]
            #expect(write.kind == .written)
            #expect(writes.recording.definitions.writeSite(of: write)?.site?.line == line)
            // The closure, or with optimization the test that it is a part of.
            #expect(sites.last?.contains("Everything.WriteSiteTests.") == true)
        }

        @Test func `A value that another thread delivers is not that thread's write`() throws {
            let model = ShopModel()
            let (isInside, hasWritten) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let subscription = model.name.subscribe {
                guard $0 == "first" else { return }
                isInside.signal()
                hasWritten.wait()
            }
            let writes = try recordWithWriteSites {
                Trace.adopt(model)
                let name = model.name
                DispatchQueue.global().async {
                    isInside.wait()
                    name.value = "second"
                    hasWritten.signal()
                }
                _ = model.assign("first")
            }
            #expect(writes.recording.emissions(of: "ShopModel.name") == [.string("first"), .string("second")])
            // The second one is delivered by the first thread, whose function did not write it.
            #expect(writes.of("ShopModel.name").map(\.function) == ["ShopModel.assign(_:)"])
            withExtendedLifetime(subscription) {}
        }

        @Test func `Each recording defines its write sites, and without the option there are none`() throws {
            let model = ShopModel()
            for text in ["a", "b"] {
                let writes = try recordWithWriteSites {
                    Trace.adopt(model)
                    _ = model.assign(text)
                }
                #expect(writes.of("ShopModel.name").map(\.function) == ["ShopModel.assign(_:)"])
                #expect(writes.recording.definitions.writeSites.count == 1)
            }
            let without = try recordWithWriteSites(false) {
                Trace.adopt(model)
                _ = model.assign("c")
            }
            #expect(without.recording.emissions(of: "ShopModel.name") == [.string("c")])
            #expect(without.recording.count(.written) == 0)
            #expect(without.recording.definitions.writeSites.isEmpty)
        }

        @Test func `Threads that write at once have their own lines`() throws {
            let models = (0..<4).map { _ in ShopModel() }
            let writes = try recordWithWriteSites {
                for model in models { Trace.adopt(model) }
                DispatchQueue.concurrentPerform(iterations: 4) { index in
                    for round in 0..<200 {
                        if index % 2 == 0 { _ = models[index].assign("\(round)") } else { _ = models[index].add() }
                    }
                }
            }
            let recording = writes.recording
            #expect(recording.damage.isEmpty)
            var counts: [String: Int] = [:]
            for event in recording.events where event.kind == .written {
                let site = try #require(recording.definitions.writeSite(of: event))
                counts["\(recording.name(event.subject)) \(site.function ?? "")", default: 0] += 1
            }
            #expect(counts == ["ShopModel.name ShopModel.assign(_:)": 400, "ShopModel.count ShopModel.add()": 400])
        }

        @Test func `A write is no turn, and changes no count but its own`() throws {
            func counts(_ isOn: Bool) throws -> [String: Int] {
                let model = ShopModel()
                model.isValid.subscribe { _ in }
                let recording = try recordWithWriteSites(isOn) {
                    Trace.adopt(model)
                    _ = model.assign("a")
                    Trace.stimulus("type") { _ = model.assign("b") }
                }.recording
                let tracker = CascadeTracker()
                let turns = Set(recording.events.map { tracker.take($0, isRefresh: false) })
                var counts = Dictionary(grouping: recording.events, by: { "\($0.kind)" }).mapValues(\.count)
                counts["turns"] = turns.subtracting([0]).count
                return counts
            }
            var (with, without) = (try counts(true), try counts(false))
            #expect(with.removeValue(forKey: "written") == 2)
            #expect(with == without)
            without = [:]
        }
    }
}

extension Everything.AskingOtherProcesses {
    @Suite struct WriteSiteCommandTests {
        private func recorded() throws -> (file: TemporaryTrace, line: Int) {
            let model = ShopModel()
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, clock: VirtualClock(), snapshots: .none, writeSites: true)
            defer { Trace.stop() }
            Trace.adopt(model)
            let line = model.assign("secret")
            Trace.stimulus("again") { _ = model.assign("secret") }
            return (file, line)
        }

        private func weir(_ arguments: String...) throws -> String {
            let answer = try BuiltProgram("weir").run(arguments, isHeardWhole: true)
            #expect(answer.status == 0, "\(answer.text)")
            return answer.text
        }

        @Test func `A copy without values, and one by way of tables, have the lines`() throws {
            let (file, _) = try recorded()
            let (copy, rows, again) = (file.folder + "/copy.weir", file.folder + "/rows", file.folder + "/again.weir")
            _ = try weir("redact", file.path, "-o", copy, "--all")
            let redacted = Writes(recording: try Recording(reading: copy))
            #expect(redacted.of("ShopModel.name").map(\.function) == ["ShopModel.assign(_:)", "ShopModel.assign(_:)"])
            #expect(redacted.recording.emissions(of: "ShopModel.name") == [.withheld])
            _ = try weir("export", file.path, "-o", rows, "--format", "ndjson")
            _ = try weir("import", rows, "-o", again)
            let (original, imported) = (try Recording(reading: file.path), try Recording(reading: again))
            #expect(imported.definitions.writeSites == original.definitions.writeSites)
            #expect(imported.events.map(\.kind) == original.events.map(\.kind))
            #expect(imported.events.map(\.count) == original.events.map(\.count))
            #expect(imported.damage.isEmpty)
        }

        @Test func `The commands name function and line`() throws {
            let (file, line) = try recorded()
            #if DEBUG
            let place = "in ShopModel.assign(_:), WeirTests/WriteSiteTests.swift:\(line)"
            #else
            let place = "in ShopModel.assign(_:), WeirTests/WriteSiteTests.swift:"
            #endif
            let why = try weir("why", file.path, "ShopModel.name")
            #expect(why.contains("\n                              written \(place)"), "\(why)")
            let json = try weir("why", file.path, "ShopModel.name", "--format", "json")
            let members = [#""writtenIn": "ShopModel.assign(_:)""#, #""writtenAt": "WeirTests/WriteSiteTests.swift:"#]
            #expect(members.allSatisfy(json.contains), "\(json)")
            let events = try weir("events", file.path, "--kind", "written", "--format", "json")
            #expect(events.split(separator: "\n").count == 2)
            let whyNot = try weir("why-not", file.path, "ShopModel.name", "--after", "again")
            #expect(whyNot.contains("written \(place)"), "\(whyNot)")
        }
    }
}
