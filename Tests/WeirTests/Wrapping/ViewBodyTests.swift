import Dispatch
import Observation
import Testing
import Weir
import WeirAnalysis
import WeirTesting
import WeirTrace

@Observable
private final class PageModel {
    var title = "Login"
    var name = ""
    var password = ""
    var rows: [RowModel] = []
    var isEnabled: Bool { name.count >= 2 }
}

@Observable
private final class RowModel {
    var count = 0
}

/// Plays SwiftUI: runs a body inside a tracking of its own, and again, later, when a value that it has read changes.
@MainActor
private final class Stage {
    private var isDue = false
    private(set) var runs = 0
    private(set) var shown: [String] = []
    private let body: () -> String

    init(_ body: @escaping () -> String) {
        self.body = body
        run()
    }

    /// As when a parent makes the view again.
    func run() {
        runs += 1
        isDue = false
        shown.append(
            withObservationTracking(body) {
                MainActor.assumeIsolated { self.isDue = true }
            })
    }

    /// The next turn of the main queue.
    func turn() { if isDue { run() } }
}

/// Content that cannot be compared, like a view.
private struct Content { let text: String }

extension Everything {
    @MainActor @Suite struct ViewBodyTests {
        @Test func `A body inside an outer tracking is run again for exactly the same changes as without Weir`() throws
        {
            func play(_ traced: Bool) -> [String] {
                let model = PageModel()
                let stage = Stage {
                    let before = model.title
                    func content() -> String { model.name.isEmpty ? "empty" : "\(model.name) \(model.isEnabled)" }
                    return before + " " + (traced ? Trace.body("PageView") { content() } : content())
                }
                for step in [
                    { model.name = "M" }, { model.password = "x" }, { model.title = "T" },
                    { model.name = "Ma" }, { model.rows.append(RowModel()) },
                    {
                        model.name = "M"; model.name = "Mar"
                    },
                ] {
                    step()
                    stage.turn()
                }
                return stage.shown
            }
            let bare = play(false)
            #expect(bare.count == 5)
            #expect(play(true) == bare)
            var recorded: [String] = []
            _ = try record { recorded = play(true) }
            #expect(recorded == bare)
        }

        @Test func `Each run is a refresh that the first write has caused, fed by what it read`() throws {
            let model = PageModel()
            let recording = try record {
                Trace.observe(model)
                let stage = Stage { Trace.body("PageView") { Content(text: model.name + model.title) }.text }
                Trace.stimulus("type") { model.name = "M" }
                Trace.stimulus("translate") { model.title = "Anmelden" }
                stage.turn()
                Trace.stimulus("hide") { model.password = "x" }
                stage.turn()
            }
            #expect(recording.emissions(of: "PageView") == [.signed(1), .signed(2)])
            #expect(recording.causes(ofLastEmission: "PageView") == ["PageView", "hop", "PageModel.name", "type"])
            let edges = Set(
                recording.definitions.subscriptions.values.compactMap { edge in
                    edge.target.map { "\(recording.name(edge.source)) → \(recording.name($0))" }
                })
            #expect(edges == ["PageModel.name → PageView", "PageModel.title → PageView"])
            // The write that came second is in the trace as well.
            #expect(recording.story.filter { $0.contains("PageView suppressed: waiting") }.count == 2)
        }

        @Test func `A run after which nothing that it read has changed is redundant; one without a known cause is not`()
            throws
        {
            let model = PageModel()
            let recording = try record {
                Trace.observe(model)
                let stage = Stage { Trace.body("Plain") { Content(text: model.name) }.text }
                stage.run()
                let states = Stage { Trace.body("States", state: 1) { Content(text: model.name) }.text }
                states.run()
                let texts = Stage { Trace.body("Texts") { model.name.isEmpty ? "empty" : "some" } }
                Trace.stimulus("type") { model.name = "M" }
                texts.turn()
                Trace.stimulus("type") { model.name = "Ma" }
                texts.turn()
            }
            #expect(recording.emissions(of: "Plain") == [.signed(1), .signed(2)])
            #expect(recording.emissions(of: "States") == [.signed(1), .signed(1)])
            #expect(recording.emissions(of: "Texts") == [.signed(1), .signed(2), .signed(2)])
        }

        @Test func `One line without content has the first observed write since its last run as its cause`() throws {
            let model = PageModel()
            let recording = try record {
                Trace.observe(model)
                let stage = Stage {
                    let _ = Trace.body(PageModel.self)
                    return model.name
                }
                Trace.stimulus("type") { model.name = "M" }
                stage.turn()
            }
            #expect(recording.emissions(of: "PageModel") == [.signed(1), .signed(2)])
            #expect(recording.causes(ofLastEmission: "PageModel") == ["PageModel", "hop", "PageModel.name", "type"])
        }

        @Test func `Rows have nodes of their own, and a body in a body its own reads`() throws {
            let model = PageModel()
            model.rows = [RowModel(), RowModel()]
            let recording = try record {
                Trace.observe(model)
                let stage = Stage {
                    Trace.body("List") {
                        model.rows.indices.map { index in
                            Trace.body("Row", id: index) { "\(model.rows[index].count)" }
                        }.joined()
                    }
                }
                Trace.stimulus("more") { model.rows[1].count = 2 }
                stage.turn()
                #expect(stage.shown == ["00", "02"])
            }
            #expect(recording.emissions(of: "Row[0]") == [.signed(1), .signed(1)])
            #expect(recording.emissions(of: "Row[1]") == [.signed(1), .signed(2)])
            #expect(recording.emissions(of: "List") == [.signed(1), .signed(2)])
        }

        @Test func `A body may throw`() throws {
            struct Failure: Error {}
            _ = try record {
                #expect(throws: Failure.self) { try Trace.body("Failing") { throw Failure() } }
                let text: String = Trace.body("Passing") { "text" }
                #expect(text == "text")
            }
        }

        @Test func `Ten thousand runs without a change leave no registrations behind`() throws {
            let model = PageModel()
            var calls = 0
            _ = try record {
                Trace.observe(model)
                for _ in 0..<10_000 { _ = Trace.body("Quiet") { model.name } }
                calls = Int(weirObservations(of: model))
            }
            #expect(calls < 20)
        }

        /// The number of trackings that a model's registrar holds.
        private func weirObservations(of model: PageModel) -> Int {
            var count = 0
            func walk(_ value: Any, _ depth: Int) {
                for child in Mirror(reflecting: value).children {
                    if child.label == "observations" { count = Mirror(reflecting: child.value).children.count }
                    if depth < 12 { walk(child.value, depth + 1) }
                }
            }
            for child in Mirror(reflecting: model).children where child.label == "_$observationRegistrar" {
                walk(child.value, 0)
            }
            return count
        }
    }
}
