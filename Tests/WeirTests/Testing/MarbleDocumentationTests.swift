import Foundation
import Testing
import Weir
import WeirTesting

/// The examples of 'Marble tests', verbatim.
extension Everything {
    @MainActor @Suite struct MarbleDocumentationTests {
        final class SearchModel {
            let query = Observable("")
            let results: Signal<String>

            init(on scheduler: some Scheduler, ask: @escaping @Sendable (String) -> Signal<String>) {
                results = query.debounce(.milliseconds(300), on: scheduler).flatMap(.latest) { ask($0) }
            }
        }

        @Test func `A search model that waits until the user has stopped typing`() throws {
            try marbles(column: .milliseconds(100)) { m in
                let time = m.scheduler
                let model = SearchModel(on: time) { query in
                    .just("results for \(query)").delay(.milliseconds(200), on: time)
                }
                m.hot("-a-b-----c", ["a": "w", "b": "we", "c": "weir"]).subscribe { model.query.value = $0 }
                m.expect(model.results, "--------1-----2", ["1": "results for we", "2": "results for weir"])
            }
        }

        @Test func `Sources and subscriptions`() throws {
            try marbles { m in
                let source = m.cold("   1--2|")
                m.expect(source.take(1), "(1|)")
                m.expect(source, "    --(^1)--!")
                m.expect(subscriptionsOf: source, "(^!)", "--^--!")
            }
        }

        @Test func `A virtual scheduler without diagrams`() {
            let time = VirtualScheduler()
            let query = Observable("")
            var searched: [String] = []
            query.debounce(.milliseconds(300), on: time).subscribe { searched.append($0) }
            query.value = "weir"
            time.advance(by: .milliseconds(299))
            #expect(searched == [])
            time.advance(by: .milliseconds(1))
            #expect(searched == ["weir"])
        }

        @Test func `Every line of code of the page stands in this file`() throws {
            let file = URL(fileURLWithPath: #filePath)
            let page = file.deletingLastPathComponent().appendingPathComponent(
                "../../../Sources/WeirTesting/WeirTesting.docc/MarbleTests.md")
            func lines(_ url: URL) throws -> [String] {
                try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map {
                    $0.trimmingCharacters(in: .whitespaces)
                }
            }
            let mine = Set(try lines(file))
            var isCode = false
            var count = 0
            for line in try lines(page) {
                if line.hasPrefix("```") {
                    isCode = line == "```swift"
                } else if isCode {
                    #expect(mine.contains(line), "\(line)")
                    count += 1
                }
            }
            #expect(count > 25)
        }
    }
}
