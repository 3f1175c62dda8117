import Dispatch
import Testing
import Weir
import WeirTrace

/// Compared by its number, and not `Hashable`.
private struct Row: Equatable {
    var number: Int
}

private struct Refused: Error {}

extension Everything {
    @MainActor @Suite struct ObservableArrayTests {
        private func texts(_ edits: (ObservableArray<String>) -> Void) -> [String] {
            let array = ObservableArray(["a", "b", "c"])
            var lines: [String] = []
            array.changes().subscribe { change in
                let difference = change.difference.map { part in
                    switch part {
                    case .insert(let place, let element, let from): "+\(place)\(element)\(from.map { "<\($0)" } ?? "")"
                    case .remove(let place, let element, let to): "-\(place)\(element)\(to.map { ">\($0)" } ?? "")"
                    }
                }
                lines.append("\(change.elements.joined()) \(difference.joined(separator: " "))")
            }
            edits(array)
            return lines
        }

        @Test func `Each edit says what it changed`() {
            #expect(texts { $0.append("d") } == ["abcd +3d"])
            #expect(texts { $0.append(contentsOf: ["d", "e"]) } == ["abcde +3d +4e"])
            #expect(texts { $0.insert("x", at: 1) } == ["axbc +1x"])
            #expect(texts { $0.remove(at: 1) } == ["ac -1b"])
            #expect(texts { $0.removeAll { $0 < "c" } } == ["c -1b -0a"])
            #expect(texts { $0.removeAll() } == [" -2c -1b -0a"])
            #expect(texts { $0[1] = "x" } == ["axc -1b +1x"])
            #expect(texts { $0.replace(0..<2, with: ["x"]) } == ["xc -1b -0a +0x"])
            #expect(texts { $0.move(from: 0, to: 2) } == ["bca -0a>2 +2a<0"])
            #expect(texts { $0.value = ["c", "b"] }.count == 1)
        }

        @Test func `Edits that change nothing go no further`() {
            #expect(texts { $0[1] = "b" } == [])
            #expect(texts { $0.value = ["a", "b", "c"] } == [])
            #expect(texts { $0.update { $0.swapAt(0, 0) } } == [])
            #expect(texts { $0.append(contentsOf: []) } == [])
        }

        @Test func `A sequence that can be read only once is appended though another edit comes in between`() {
            let rows = ObservableArray([1])
            rows.append(contentsOf: OncePassed { rows.append(2) })
            #expect(rows.value == [1, 2, 7, 8])
        }

        /// Gives 7 and 8, once.
        private final class OncePassed: Sequence, IteratorProtocol {
            private var left = [8, 7]
            private let meanwhile: () -> Void

            init(meanwhile: @escaping () -> Void) { self.meanwhile = meanwhile }

            func next() -> Int? {
                if left.count == 2 { meanwhile() }
                return left.popLast()
            }
        }

        @Test func `Several edits at once are one change`() {
            let once = ["axcd -1b +1x +3d"]
            #expect(
                texts {
                    $0.update {
                        $0[1] = "x"
                        $0.append("d")
                    }
                } == once)
            #expect(
                texts { array in
                    batch {
                        array[1] = "x"
                        array.append("d")
                    }
                } == once)
            #expect(
                texts { array in
                    batch {
                        array.append("d")
                        _ = array.remove(at: 3)
                    }
                } == [])
        }

        @Test func `An edit that throws changes nothing`() {
            let array = ObservableArray([1])
            var heard = 0
            array.subscribe { _ in heard += 1 }
            #expect(throws: Refused.self) {
                try array.update {
                    $0.append(2)
                    throw Refused()
                }
            }
            #expect(array.value == [1])
            #expect(heard == 0)
        }

        @Test func `Whole arrays and differences can be subscribed to, the present contents first if wanted`() {
            let array = ObservableArray([1, 2])
            var wholes: [[Int]] = []
            var differences: [Int] = []
            var firsts: [ArrayChange<Int>] = []
            array.subscribe(initial: true) { wholes.append($0) }
            array.differences().subscribe { differences.append($0.count) }
            array.changes(initial: true).subscribe { firsts.append($0) }
            array.append(3)
            #expect(wholes == [[1, 2], [1, 2, 3]])
            #expect(differences == [1])
            #expect(firsts.map(\.elements) == wholes)
            #expect(firsts.map(\.difference.count) == [2, 1])
            var empty: [ArrayChange<Int>] = []
            ObservableArray<Int>().changes(initial: true).subscribe { empty.append($0) }
            #expect(empty.map(\.elements) == [[]])
        }

        @Test func `It is an observable that can be combined`() {
            let array = ObservableArray([1, 2, 3])
            let limit = Observable(2)
            let few = Observable.combine(array, limit) { Array($0.prefix($1)) }
            #expect(few.value == [1, 2])
            array.insert(0, at: 0)
            #expect(few.value == [0, 1])
        }

        @Test func `A handler may edit; the subscriber hears that change after this one`() {
            let array = ObservableArray([1])
            var known = array.value
            var story: [String] = []
            array.changes().subscribe { change in
                story.append("begins \(change.elements)")
                if array.value.count < 4 { array.append(9) }
                known = known.applying(change.difference) ?? []
                story.append("ends \(known)")
            }
            array.append(2)
            #expect(
                story == [
                    "begins [1, 2]", "ends [1, 2]", "begins [1, 2, 9]", "ends [1, 2, 9]", "begins [1, 2, 9, 9]",
                    "ends [1, 2, 9, 9]",
                ])
        }

        @Test(arguments: 0..<20)
        func `Differences applied in order give the array, after any edits`(seed: UInt64) throws {
            var random = SeededGenerator(seed: seed)
            let array = ObservableArray((0..<Int.random(in: 0...8, using: &random)).map { Row(number: $0 % 3) })
            var known: [Row]? = array.value
            var count = 0
            array.changes().subscribe { change in
                known = known?.applying(change.difference)
                count += 1
                #expect(known == change.elements)
            }
            var oracle = array.value
            for _ in 0..<200 {
                let before = oracle
                let row = Row(number: Int.random(in: 0..<4, using: &random))
                let place = Int.random(in: 0...oracle.count, using: &random)
                let other = Int.random(in: 0...oracle.count, using: &random)
                switch Int.random(in: 0..<7, using: &random) {
                case 0:
                    array.append(row)
                    oracle.append(row)
                case 1:
                    array.insert(row, at: place)
                    oracle.insert(row, at: place)
                case 2 where place < oracle.count:
                    array.remove(at: place)
                    oracle.remove(at: place)
                case 3 where max(place, other) < oracle.count:
                    array.move(from: place, to: other)
                    oracle.insert(oracle.remove(at: place), at: other)
                case 4:
                    array.replace(min(place, other)..<max(place, other), with: [row, row])
                    oracle.replaceSubrange(min(place, other)..<max(place, other), with: [row, row])
                case 5 where place < oracle.count:
                    array[place] = row
                    oracle[place] = row
                case 6:
                    oracle.shuffle(using: &random)
                    array.value = oracle
                default: break
                }
                #expect(array.value == oracle)
                #expect(known == oracle)
                if before == oracle { count += 1 }
            }
            #expect(count == 200)
        }

        @Test(arguments: 0..<10)
        func `A difference is as short as the standard library's`(seed: UInt64) {
            var random = SeededGenerator(seed: seed)
            for _ in 0..<100 {
                func some() -> [Row] {
                    (0..<Int.random(in: 0...12, using: &random)).map { _ in
                        Row(number: Int.random(in: 0..<4, using: &random))
                    }
                }
                let (old, new) = (some(), some())
                let array = ObservableArray(old)
                var found: CollectionDifference<Row>?
                array.differences().subscribe { found = $0 }
                array.value = new
                #expect((found?.count ?? 0) == new.difference(from: old).count)
            }
        }

        @Test func `Arrays that differ in much are reported in bounded work, and still rightly`() {
            let old = (0..<20_000).map { Row(number: $0) }
            let new = (0..<20_000).map { Row(number: $0 % 7 == 0 ? -$0 - 1 : $0) }
            let array = ObservableArray(old)
            var known: [Row]? = old
            array.differences().subscribe { known = known?.applying($0) }
            array.value = new
            #expect(known == new)
            array.move(from: 0, to: 19_999)
            #expect(known == array.value)
        }

        @Test nonisolated func `Edits from several threads are all there, and every subscriber ends up with all`() {
            let array = ObservableArray<Int>()
            let queue = DispatchQueue(label: "known")
            nonisolated(unsafe) var known: [Int]? = []
            array.changes().subscribe { change in queue.sync { known = known?.applying(change.difference) } }
            DispatchQueue.concurrentPerform(iterations: 4) { part in
                for number in 0..<100 { array.append(part * 100 + number) }
            }
            #expect(array.value.sorted() == Array(0..<400))
            #expect(queue.sync { known } == array.value)
        }

        @Test func `A dropped array and its subscribers leak nothing`() {
            final class Token {}
            weak var array: ObservableArray<Int>?
            weak var held: Token?
            do {
                let token = Token()
                let made = ObservableArray([1])
                made.changes().subscribe { _ in _ = token }
                made.append(2)
                array = made
                held = token
            }
            #expect(array == nil)
            #expect(held == nil)
        }

        private final class List {
            let rows = ObservableArray<String>()
        }

        @Test func `A trace tells numbers of elements and changes, and why an edit went no further`() throws {
            let recording = try record {
                let list = List()
                Trace.adopt(list)
                list.rows.changes().subscribe { _ in }
                list.rows.append(contentsOf: ["secret", "b"])
                list.rows[1] = "b"
                batch { _ = list.rows.remove(at: 0) }
            }
            let values = recording.events.filter { $0.kind == .emitted }.map { "\($0.value)" }
            #expect(values.contains { $0.contains("2 elements, 2 changes") })
            #expect(values.contains { $0.contains("1 element, 1 change") })
            #expect(values.allSatisfy { !$0.contains("secret") })
            #expect(recording.story.contains("List.rows suppressed: equal"))
            let kinds = Dictionary(grouping: recording.definitions.nodes.values, by: \.kind)
            #expect(kinds[.array]?.map(\.name) == ["List.rows"])
            #expect(kinds[.changes]?.count == 1)
        }
    }
}
