import CWeirTesting
import Dispatch
import Testing
import Weir
import WeirTestSupport
import WeirTrace

extension Everything {
    /// In-place changes of a traced property: no needless copy, and the same result everywhere.
    @MainActor @Suite(.ahead) struct TracedInPlaceTests {
        /// The untraced counterpart of a traced property.
        private final class Plain {
            var numbers: [Int] = []
            var text = ""
            var counts: [Int: Int] = [:]
        }

        private final class Lists {
            @Traced var numbers: [Int] = []
            @Traced var text = ""
            @Traced var counts: [Int: Int] = [:]
        }

        /// The number of allocated objects, including new storage of a collection.
        private func objects(_ run: () -> Void) -> Int {
            let before = weir_allocations_count()
            run()
            return Int(weir_allocations_count() - before)
        }

        @Test func `Changes in place allocate no more than those of a stored property`() {
            let (lists, plain) = (Lists(), Plain())
            let count = 1000
            func compare(_ traced: () -> Void, _ stored: () -> Void) {
                // A copy for each change would be a thousand more.
                #expect(objects(traced) <= objects(stored) + 10)
            }
            compare {
                for number in 0..<count { lists.numbers.append(number) }
            } _: {
                for number in 0..<count { plain.numbers.append(number) }
            }
            compare {
                for number in 0..<count { lists.numbers[number] += 1 }
            } _: {
                for number in 0..<count { plain.numbers[number] += 1 }
            }
            compare {
                for _ in 0..<count { lists.text += "another piece" }
            } _: {
                for _ in 0..<count { plain.text += "another piece" }
            }
            compare {
                for number in 0..<count { lists.counts[number, default: 0] += 1 }
            } _: {
                for number in 0..<count { plain.counts[number, default: 0] += 1 }
            }
            #expect(lists.numbers == Array(1...count) && lists.text == plain.text && lists.counts == plain.counts)
            lists.$numbers.checkInvariants()
        }

        @Test func `An array that is held elsewhere is copied once, and that one stays as it was`() {
            let lists = Lists()
            lists.numbers = Array(0..<100)
            let held = lists.numbers
            #expect(objects { for number in 0..<50 { lists.numbers.append(number) } } < 20)
            #expect(held == Array(0..<100))
        }

        @Test func `Subscribers hear each change in place, and none that changes nothing`() {
            let lists = Lists()
            lists.numbers.append(1)
            var heard: [[Int]] = []
            let subscription = lists.$numbers.subscribe { heard.append($0) }
            lists.numbers.append(2)
            lists.numbers.sort()
            lists.numbers[0] = 3
            #expect(heard == [[1, 2], [3, 2]])
            subscription.dispose()
            lists.numbers.append(4)
            #expect(lists.numbers == [3, 2, 4] && heard.count == 2)
        }

        @Test func `A recording holds each change in place, and those that change nothing`() throws {
            let recording = try record(values: .described()) {
                let lists = Lists()
                Trace.adopt(lists)
                lists.numbers.append(1)
                lists.numbers.sort()
                lists.numbers.append(2)
            }
            #expect(recording.emissions(of: "Lists.numbers").map(\.description) == ["[1]", "[1, 2]"])
            #expect(recording.story.contains("Lists.numbers suppressed: equal"))
        }

        @Test func `A batch delivers once what was changed in place`() {
            let lists = Lists()
            lists.numbers.append(1)
            var heard: [[Int]] = []
            batch {
                lists.numbers.append(2)
                lists.$numbers.subscribe { heard.append($0) }
                lists.numbers.append(3)
            }
            #expect(heard == [[1, 2, 3]])
        }

        private struct Refusal: Error {}

        @Test func `A change that throws keeps what it has done`() {
            func grow(_ numbers: inout [Int]) throws {
                numbers.append(1)
                throw Refusal()
            }
            let lists = Lists()
            #expect(throws: Refusal.self) { try grow(&lists.numbers) }
            #expect(lists.numbers == [1])
            lists.numbers.append(2)
            #expect(lists.numbers == [1, 2])
        }

        @Test func `What subscribes inside of a change hears its result`() {
            let lists = Lists()
            var heard: [[Int]] = []
            func change(_ numbers: inout [Int]) {
                lists.$numbers.subscribe { heard.append($0) }
                numbers.append(1)
            }
            change(&lists.numbers)
            #expect(heard == [[1]])
        }

        @Test func `A property that is read while it is changed in place stops the program`() async {
            await #expect(processExitsWith: .failure) {
                let lists = Lists()
                func change(_ numbers: inout [Int]) { numbers.append(lists.numbers.count) }
                change(&lists.numbers)
            }
        }

        @Test func `Other threads read the value before a change or after it`() {
            final class Shared: @unchecked Sendable { @Traced var numbers: [Int] = [0] }
            for _ in 0..<50 {
                let shared = Shared()
                let reader = DispatchQueue(label: "reader")
                let done = DispatchGroup()
                reader.async(group: done) {
                    var last = 1
                    for _ in 0..<200 {
                        let count = shared.numbers.count
                        #expect(count >= last)
                        last = count
                    }
                }
                for number in 1...200 { shared.numbers.append(number) }
                done.wait()
                #expect(shared.numbers == Array(0...200))
            }
        }
    }
}
