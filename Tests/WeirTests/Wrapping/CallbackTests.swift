import Testing
import Weir
import WeirTrace

extension Everything {
    @Suite struct CallbackTests {
        @Test func `A callback is a stimulus by its name, or a refresh that has a cause`() throws {
            let recording = try record {
                let name = Observable("", file: "App/Name.swift", line: 1)
                name.subscribe { text in withTracing("show", text) {} }
                withTracing("touch") { name.value = "Maruko" }
            }
            let emissions = recording.events.filter { $0.kind == .emitted }
            #expect(emissions.map { recording.name($0.subject) } == ["touch", "observable Name.swift:1", "show"])
            #expect(emissions[0].cause == nil)
            #expect(emissions[1].cause == emissions[0].id && emissions[2].cause == emissions[1].id)
            #expect(emissions[2].value == .string("Maruko"))
        }

        @Test func `One line is one node, however often it runs, and what the body gives or throws is handed on`()
            throws
        {
            struct Failure: Error {}
            let recording = try record {
                for step in 0..<3 { #expect(withTracing("step", step) { step * 2 } == step * 2) }
                #expect(throws: Failure.self) { try withTracing("failing") { throw Failure() } }
            }
            #expect(recording.emissions(of: "step") == [.signed(0), .signed(1), .signed(2)])
            #expect(recording.definitions.nodes.values.filter { $0.label == "step" }.count == 1)
        }

        @Test func `Nothing recorded, only the body runs`() {
            var runs = 0
            withTracing("quiet") { runs += 1 }
            #expect(runs == 1)
        }
    }
}
