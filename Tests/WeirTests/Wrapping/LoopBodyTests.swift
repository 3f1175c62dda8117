import Testing
import Weir
import WeirTrace

extension Everything {
    /// What the body of `for await` does is caused by its element.
    @Suite struct LoopBodyTests {
        @MainActor private final class Model {
            let name = Observable("")
            let greeting = Observable("")
            let log = Observable("")
            var written = 0
        }

        /// Records what a loop does while `act` runs; the loop ends with it.
        @MainActor private func recording(
            _ loop: @escaping @MainActor (Model) async throws -> Void,
            _ act: @escaping @MainActor (Model) async -> Void
        ) async throws -> Recording {
            try await recordTask { @MainActor in
                let model = Model()
                Trace.adopt(model)
                let task = Task { try await loop(model) }
                await Task.yield()
                await act(model)
                task.cancel()
                _ = await task.result
            }
        }

        @MainActor private static func until(_ isTrue: () -> Bool) async {
            while !isTrue() { await Task.yield() }
        }

        @MainActor private static func type(_ model: Model) async {
            Trace.stimulus("type") { model.name.value = "Maruko" }
            await until { model.log.value != "" || model.greeting.value != "" }
            // What else the body does, it does at once.
            for _ in 0..<10 { await Task.yield() }
        }

        private static let typed = ["Model.greeting", "hop", "Model.name", "type"]

        @Test func `a value of an observable is the cause of the body`() async throws {
            let recording = try await recording { model in
                for try await name in model.name.values { model.greeting.value = "Hi \(name)" }
            } _: {
                await Self.type($0)
            }
            #expect(recording.causes(ofLastEmission: "Model.greeting") == Self.typed)
            #expect(recording.damage.isEmpty)
        }

        @Test func `it still is after an await, and on another actor`() async throws {
            let recording = try await recording { model in
                for try await name in model.name.values {
                    await Task.yield()
                    let text = await Self.greeting(name)
                    model.greeting.value = text
                }
            } _: {
                await Self.type($0)
            }
            #expect(recording.causes(ofLastEmission: "Model.greeting") == Self.typed)
        }

        @concurrent nonisolated private static func greeting(_ name: String) async -> String { "Hi \(name)" }

        @Test func `an element of a traced stream is the cause of the body of a plain loop`() async throws {
            let (stream, continuation) = AsyncStream<String>.makeTracedStream("names")
            let recording = try await recording { model in
                for await name in stream { model.greeting.value = "Hi \(name)" }
            } _: { model in
                Trace.stimulus("type") { _ = continuation.yield("Maruko") }
                await Self.until { model.greeting.value != "" }
                continuation.finish()
            }
            #expect(
                recording.causes(ofLastEmission: "Model.greeting") == ["Model.greeting", "hop", "names", "hop", "type"])
        }

        @Test func `what comes after the loop is not caused by its last element`() async throws {
            let recording = try await recording { model in
                let values = model.name.values
                for try await name in values {
                    model.greeting.value = "Hi \(name)"
                    break
                }
                model.log.value = "over"
                withExtendedLifetime(values) {}
            } _: {
                await Self.type($0)
            }
            #expect(recording.causes(ofLastEmission: "Model.greeting") == Self.typed)
            #expect(recording.causes(ofLastEmission: "Model.log") == ["Model.log"])
        }

        @Test func `the innermost loop counts, and then the outer one again`() async throws {
            let recording = try await recording { model in
                for try await name in model.name.values {
                    let (letters, continuation) = AsyncStream<Character>.makeTracedStream("letters")
                    for letter in name { continuation.yield(letter) }
                    continuation.finish()
                    for await letter in letters { model.log.value = String(letter) }
                    model.greeting.value = "Hi \(name)"
                }
            } _: {
                await Self.type($0)
            }
            #expect(
                recording.causes(ofLastEmission: "Model.log")
                    == ["Model.log", "hop", "letters", "hop", "Model.name", "type"])
            #expect(recording.causes(ofLastEmission: "Model.greeting") == Self.typed)
        }

        @Test func `a cause that the body sets is nearer than the element`() async throws {
            let recording = try await recording { model in
                for try await name in model.name.values {
                    await Trace.stimulus("greet") {
                        await Task.yield()
                        model.log.value = name
                    }
                    model.greeting.value = "Hi \(name)"
                }
            } _: {
                await Self.type($0)
            }
            #expect(recording.causes(ofLastEmission: "Model.log") == ["Model.log", "hop", "greet"])
            #expect(recording.causes(ofLastEmission: "Model.greeting") == Self.typed)
        }

        @Test func `a task of the body has the cause only if it carries it`() async throws {
            let recording = try await recording { model in
                for try await name in model.name.values {
                    await Trace.task { model.greeting.value = "Hi \(name)" }.value
                    await Task { model.log.value = name }.value
                }
            } _: {
                await Self.type($0)
            }
            #expect(recording.causes(ofLastEmission: "Model.greeting") == Self.typed)
            #expect(recording.causes(ofLastEmission: "Model.log") == ["Model.log"])
        }

        @Test func `each of many tasks has the cause of its own loop`() async throws {
            let recording = try await recording { model in
                let tasks = (0..<80).map { place in
                    Task {
                        for try await name in model.name.values {
                            for _ in 0..<place % 7 { await Task.yield() }
                            model.log.value = "\(name) \(place)"
                            model.written += 1
                        }
                    }
                }
                await Self.until { model.written == 240 }
                for task in tasks { task.cancel() }
            } _: { model in
                for _ in 0..<10 { await Task.yield() }
                for (place, name) in ["a", "b", "c"].enumerated() {
                    Trace.stimulus("type \(name)") { model.name.value = name }
                    await Self.until { model.written == 80 * (place + 1) }
                }
            }
            let emissions = recording.events.filter { recording.name($0.subject) == "Model.log" && $0.kind == .emitted }
            #expect(emissions.count == 240)
            var caused = 0
            for event in emissions {
                guard case .string(let text) = event.value, let name = text.first else { continue }
                let causes = recording.causes(of: event)
                if causes == ["Model.log", "hop", "Model.name", "type \(name)"] { caused += 1 }
                // There is room for 64 bodies at a time.
                #expect(causes.count == 1 || causes.last == "type \(name)")
            }
            #expect(caused >= 192)
        }
    }
}
