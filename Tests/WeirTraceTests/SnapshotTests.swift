import Testing

@testable import WeirTrace

struct SnapshotTests {
    private func decoded(_ bytes: [UInt8]) -> TraceSnapshot? {
        bytes.withUnsafeBytes { TraceSnapshot(decoding: $0) }
    }

    @Test func `snapshots are read as they were written`() {
        for seed in 0..<300 as Range<UInt64> {
            let snapshot = RandomSnapshot(seed: seed, objects: Int(seed % 40)).snapshot
            #expect(snapshot.makesSense)
            #expect(decoded(snapshot.encoded) == snapshot)
            #expect(snapshot.bounded() == snapshot)
        }
        #expect(decoded(TraceSnapshot().encoded) == TraceSnapshot())
    }

    @Test func `a snapshot is these bytes`() {
        var snapshot = TraceSnapshot()
        (snapshot.walkedObjects, snapshot.walkedReferences, snapshot.walkedBytes) = (2, 300, 96)
        (snapshot.omittedObjects, snapshot.omittedCycles) = (4, 5)
        var model = SnapshotObject(kind: .instance, type: "Model")
        model.identity = .object(7)
        (model.size, model.retainedSize, model.isGarbage) = (48, 64, true)
        var context = SnapshotObject(kind: .closure, type: "closure(Model)")
        context.holder = 0
        let save = TaskWork(
            function: "Store.save()", kind: .function, site: nil,
            madeAt: TraceSite(file: "App/Model.swift", line: 9), wait: .continuation)
        (context.outsideReferences, context.outsideHolder) = (1, .task([save]))
        snapshot.objects = [model, context]
        var handler = SnapshotReference(source: 0, target: 1, label: ".handler")
        (handler.isClosure, handler.function) = (true, "closure #1 in Model.init()")
        (handler.functionKind, handler.site) = (.closure, TraceSite(file: "App/Model.swift", line: 12))
        snapshot.references = [handler, SnapshotReference(source: 1, target: 0, label: "captures", ownership: .strong)]
        snapshot.cycles = [
            SnapshotCycle(references: [0, 1], isProven: true, componentObjects: 2, componentBytes: 96)
        ]
        snapshot.limitations = [SnapshotLimitation(.noReflection, "Model")]
        let texts = [
            "Model", "closure(Model)", "Store.save()", "App/Model.swift", ".handler", "closure #1 in Model.init()",
            "captures",
        ]
        let objects: [[UInt8]] = [
            [1, 1, 3, 7, 1, 0, 0, 0, 48, 64, 0, 0, 0],
            [2, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 3, 1, 0, 0, 4, 9, 1],
        ]
        let references: [[UInt8]] = [[0, 1, 5, 1, 5, 6, 4, 12], [1, 0, 7, 1, 0, 0, 0, 0]]
        var bytes: [UInt8] = [1, 7] + texts.flatMap(text) + [2] + varint(300) + [96, 4, 5]
        for records in [objects, references, [[1, 2, 96, 0, 2, 0, 1]], [[2, 1]]] {
            bytes += varint(UInt64(records.count)) + records.flatMap { varint(UInt64($0.count)) + $0 }
        }
        #expect(snapshot.encoded == bytes)
        #expect(decoded(bytes) == snapshot)
    }

    @Test func `words of old traces are read as the holder that they describe`() {
        let made = TraceSite(file: "App/Feed.swift", line: 30)
        let listen = TaskWork(
            function: "closure #1 in Feed.listen()", kind: .closure, site: made, madeAt: made, wait: .task)
        let holders: [(String, OutsideHolder)] = [
            ("static Session.shared", .variable("static Session.shared")),
            ("a task, it seems", .task([])),
            ("the result of a task that has ended, it seems", .taskResult),
            (
                "the closure at App/Clock.swift:8, which a timer or a queue keeps, it seems",
                .closure(TraceSite(file: "App/Clock.swift", line: 8))
            ),
            (
                "a task that runs closure #1 in Feed.listen() at App/Feed.swift:30, which waits for a task that runs "
                    + "Store.save(), made at App/Feed.swift:30, which waits for a continuation, it seems",
                .task([
                    listen,
                    TaskWork(function: "Store.save()", kind: .function, madeAt: made, wait: .continuation),
                ])
            ),
            (
                "a task that runs closure #1 in Feed.listen() at App/Feed.swift:30, which waits for another task, it seems",
                .task([listen])
            ),
            (
                "a task that runs closure #2 in Feed.listen(), which waits, it seems",
                .task([TaskWork(function: "closure #2 in Feed.listen()", kind: .closure, wait: .unknown)])
            ),
            ("a task that runs Store.load(), it seems", .task([TaskWork(function: "Store.load()", kind: .function)])),
        ]
        for (words, holder) in holders {
            // An object of a recorder that knew only words.
            let object: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0]
            // A closure's reference to itself, without the kind of its function.
            let reference: [UInt8] = [0, 0, 0, 1, 1, 2, 0, 0]
            var bytes: [UInt8] = [1, 2] + text(words) + text("implicit closure #1 in Feed.listen()")
            bytes +=
                [0, 0, 0, 0, 0, 1, UInt8(object.count)] + object + [1, UInt8(reference.count)] + reference + [0, 0]
            #expect(decoded(bytes)?.objects.map(\.outsideHolder) == [holder])
            #expect(decoded(bytes)?.references.map(\.functionKind) == [.autoclosure])
        }
    }

    @Test func `a holder in words has the lines of closures, not their numbers`() {
        let made = TraceSite(file: "App/Feed.swift", line: 30)
        let inner = TraceSite(file: "App/Feed.swift", line: 33)
        let tasks = [
            TaskWork(function: "closure #1 in Feed.listen()", kind: .closure, site: made, madeAt: made, wait: .task),
            TaskWork(function: "closure #2 in Feed.listen()", kind: .closure, site: inner, madeAt: made, wait: .task),
            TaskWork(function: "Store.save()", kind: .function, site: inner, madeAt: made, wait: .continuation),
        ]
        #expect(
            OutsideHolder.task(tasks).description
                == "a task that runs the closure at App/Feed.swift:30, which waits for a task that runs the closure at "
                + "App/Feed.swift:33, made at App/Feed.swift:30, which waits for a task that runs Store.save(), made at "
                + "App/Feed.swift:30, which waits for a continuation, it seems")
        #expect(
            OutsideHolder.task(tasks.dropLast()).description.hasSuffix(", which waits for another task, it seems"))
        #expect(
            OutsideHolder.task([tasks[0]]).wordsWithoutLines
                == "a task that runs closure #1 in Feed.listen(), which waits for another task, it seems")
        #expect(OutsideHolder.taskResult.description == "the result of a task that has ended, it seems")
        #expect(OutsideHolder.task([]).description == "a task, it seems")
        #expect(
            OutsideHolder.closure(made).description
                == "the closure at App/Feed.swift:30, which a timer or a queue keeps, it seems")
    }

    @Test func `a task in words has the child task that it waits for`() {
        let made = TraceSite(file: "App/Feed.swift", line: 30)
        let child = TraceSite(file: "App/Feed.swift", line: 33)
        func words(_ wait: TaskWork.Wait, _ children: TaskWork...) -> String {
            let parent = TaskWork(
                function: "closure #1 in Feed.listen()", kind: .closure, site: made, madeAt: made, wait: wait)
            return OutsideHolder.task([parent] + children).description
        }
        let loop = TaskWork(function: "Feed.poll()", kind: .function, site: child, madeAt: child, wait: .element)
        #expect(
            words(.group, loop)
                == "a task that runs the closure at App/Feed.swift:30, which waits for a child task of its group that runs "
                + "Feed.poll(), made at App/Feed.swift:33, it seems")
        #expect(
            words(.asyncLet, TaskWork(function: "Store.load()", kind: .function, wait: .continuation))
                == "a task that runs the closure at App/Feed.swift:30, which waits for an `async let` that runs Store.load(), "
                + "which waits for a continuation, it seems")
        let value = TaskWork(
            function: "implicit closure #1 in closure #1 in Feed.listen()", kind: .autoclosure, site: child,
            wait: .element)
        #expect(words(.asyncLet, value).hasSuffix(", which waits for an `async let` at \(child), it seems"))
        #expect(words(.group).hasSuffix(", which waits for the child tasks of its group, it seems"))
        #expect(words(.asyncLet).hasSuffix(", which waits for an `async let`, it seems"))
    }

    @Test func `what later versions add is passed over`() {
        let object: [UInt8] = [9, 0x80, 4, 7, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0xAA, 0xBB]
        let reference: [UInt8] = [0, 0, 0, 9, 0xC6, 0, 0, 0, 0xAA]
        let limitation: [UInt8] = [200, 0, 0xAA]
        func section(_ record: [UInt8]) -> [UInt8] { [1, UInt8(record.count)] + record }
        let bytes =
            [1, 0, 0, 0, 0, 0, 0] + section(object) + section(reference) + [0] + section(limitation) + [1, 2, 3]
        var expected = TraceSnapshot()
        expected.objects = [SnapshotObject(kind: .unknown, type: "")]
        (expected.objects[0].size, expected.objects[0].retainedSize) = (1, 1)
        expected.objects[0].outsideReferences = 1
        expected.references = [SnapshotReference(source: 0, target: 0, label: "", ownership: .unmanaged)]
        expected.limitations = [SnapshotLimitation(.other, "")]
        #expect(decoded(bytes) == expected)
        #expect(decoded([2] + bytes.dropFirst()) == nil)
    }

    @Test func `what makes no sense is refused`() {
        func isRefused(_ change: (inout TraceSnapshot) -> Void) -> Bool {
            var snapshot = TraceSnapshot()
            snapshot.objects = (0..<3).map { SnapshotObject(kind: .instance, type: "\($0)") }
            snapshot.references = [
                SnapshotReference(source: 0, target: 1, label: ""), SnapshotReference(source: 1, target: 0, label: ""),
                SnapshotReference(source: 1, target: 2, label: ""),
                SnapshotReference(source: 2, target: 1, label: "", ownership: .weak),
            ]
            snapshot.cycles = [
                SnapshotCycle(references: [0, 1], isProven: true, componentObjects: 2, componentBytes: 0)
            ]
            snapshot.objects[1].holder = 0
            snapshot.objects[2].holder = 2
            precondition(decoded(snapshot.encoded) == snapshot)
            change(&snapshot)
            return decoded(snapshot.encoded) == nil
        }
        #expect(isRefused { $0.references[3].target = 3 })
        #expect(isRefused { $0.references[3].source = .max })
        #expect(isRefused { $0.objects[0].holder = 4 })
        #expect(isRefused { $0.objects[0].holder = 1 })
        #expect(isRefused { $0.objects[2].holder = 0 })
        #expect(isRefused { $0.objects[1].holder = 3 })
        #expect(isRefused { $0.cycles[0].references = [] })
        #expect(isRefused { $0.cycles[0].references = [0] })
        #expect(isRefused { $0.cycles[0].references = [0, 2] })
        #expect(isRefused { $0.cycles[0].references = [2, 3] })
        #expect(isRefused { $0.cycles[0].references = [0, 9] })
        #expect(isRefused { $0.references[0].ownership = .unowned })
    }

    @Test func `hostile bytes give nothing, or a snapshot that makes sense`() {
        var generator = SeededGenerator(state: 4711)
        var sound = 0
        for seed in 0..<2000 as Range<UInt64> {
            var bytes = RandomSnapshot(seed: seed, objects: Int(seed % 20)).snapshot.encoded
            for _ in 0...Int.random(in: 0...3, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0...4, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &generator)
                case 2: bytes.removeSubrange(place..<min(bytes.count, place + 3))
                case 3: bytes.insert(contentsOf: [0xFF, 0xFF, 0xFF, 0xFF, 0x0F].prefix(place % 6), at: place)
                default: bytes.removeLast(bytes.count - place)
                }
                if bytes.isEmpty { bytes = [1] }
            }
            guard let snapshot = decoded(bytes) else { continue }
            sound += 1
            #expect(snapshot.makesSense)
            #expect(decoded(snapshot.encoded) == snapshot)
        }
        #expect(sound > 100 && sound < 1900)
        #expect(decoded([]) == nil)
        // Counts that exceed the actual content.
        for place in 1...9 {
            let promise = [UInt8](repeating: 0, count: place - 1) + varint(.max)
            #expect(decoded([1] + promise + [0, 0, 0]) == nil)
        }
    }

    @Test func `long texts are cut between characters`() {
        var snapshot = TraceSnapshot()
        snapshot.limitations = [
            SnapshotLimitation(.noWalk, String(repeating: "ö", count: 511) + "a" + String(repeating: "ö", count: 99))
        ]
        #expect(decoded(snapshot.encoded)?.limitations.first?.subject == String(repeating: "ö", count: 511) + "a")
    }

    @Test func `of a snapshot that is too large cycles stay first, then tracked objects with their ways`() {
        var snapshot = TraceSnapshot()
        // 0…9: plain; 10 → 11 → 12, the last one tracked; 13, 14: a cycle.
        snapshot.objects = (0..<15).map { SnapshotObject(kind: .instance, type: "\($0)") }
        snapshot.objects[12].identity = .object(1)
        snapshot.references = [
            SnapshotReference(source: 10, target: 11, label: ".a"),
            SnapshotReference(source: 11, target: 12, label: ".b"),
            SnapshotReference(source: 13, target: 14, label: ".c"),
            SnapshotReference(source: 14, target: 13, label: ".d"),
            SnapshotReference(source: 3, target: 4, label: ".e"),
        ]
        snapshot.objects[11].holder = 0
        snapshot.objects[12].holder = 1
        snapshot.cycles = [SnapshotCycle(references: [2, 3], isProven: true, componentObjects: 2, componentBytes: 0)]
        snapshot.omittedObjects = 100
        func types(_ limit: Int) -> [String] {
            let kept = snapshot.bounded(objects: limit)
            #expect(kept.makesSense && kept.omittedObjects == UInt64(115 - kept.objects.count))
            #expect(kept.omittedCycles == UInt64(1 - kept.cycles.count))
            return kept.objects.map(\.type)
        }
        #expect(types(0) == [])
        #expect(types(1) == ["0"])
        #expect(types(2) == ["13", "14"])
        #expect(types(4) == ["0", "1", "13", "14"])
        #expect(types(5) == ["10", "11", "12", "13", "14"])
        #expect(types(6) == ["0", "10", "11", "12", "13", "14"])
        let kept = snapshot.bounded(objects: 5)
        #expect(kept.references.map(\.label) == [".a", ".b", ".c", ".d"])
        #expect(kept.objects.map(\.holder) == [nil, 0, 1, nil, nil])
        #expect(kept.cycles.map(\.references) == [[2, 3]])
        let whole = snapshot.encoded.count
        #expect(snapshot.bounded(bytes: whole) == snapshot)
        let less = snapshot.bounded(bytes: whole - 1)
        #expect(less.encoded.count < whole && less.cycles.count == 1 && less.objects.count < 15)
    }

    @Test func `of any snapshot what is kept makes sense`() {
        for seed in 0..<200 as Range<UInt64> {
            let snapshot = RandomSnapshot(seed: seed, objects: 40).snapshot
            let kept = snapshot.bounded(objects: Int(seed % 45), bytes: 2000)
            #expect(kept.makesSense && kept.objects.count <= Int(seed % 45) && kept.encoded.count <= 2000)
            #expect(kept.omittedObjects == snapshot.omittedObjects &+ UInt64(40 - kept.objects.count))
        }
    }

    @Test func `The order does not depend on that in which things were found`() {
        var generator = SeededGenerator(state: 1)
        for seed in 0..<100 as Range<UInt64> {
            let snapshot = RandomSnapshot(seed: seed, objects: Int(seed % 12)).snapshot
            let ordered = snapshot.ordered
            #expect(ordered.makesSense && ordered.ordered == ordered)
            #expect(ordered.objects.count == snapshot.objects.count)
            #expect(Set(ordered.limitations) == Set(snapshot.limitations))
            for _ in 0..<4 {
                // The same content in another order: all objects here differ by their size.
                var distinct = snapshot
                for place in distinct.objects.indices { distinct.objects[place].size = UInt64(place) }
                for place in distinct.references.indices { distinct.references[place].label = "\(place)" }
                #expect(shuffled(distinct, &generator).ordered == distinct.ordered)
            }
        }
    }

    @Test func `The order is that of whole keys, compared one by one`() {
        for seed in 0..<400 as Range<UInt64> {
            var snapshot = RandomSnapshot(seed: seed, objects: Int(seed % 40)).snapshot
            // Many that are alike and differ only by their neighbours.
            if seed % 2 == 0 {
                for place in snapshot.objects.indices {
                    let holder = snapshot.objects[place].holder
                    snapshot.objects[place] = SnapshotObject(kind: .instance, type: place % 7 == 0 ? "Screen" : "Row")
                    snapshot.objects[place].holder = holder
                    if place % 5 == 0 { snapshot.objects[place].identity = .object(UInt32(place % 10)) }
                }
                for place in snapshot.references.indices { snapshot.references[place].label = "[\(place % 3)]" }
            }
            #expect(snapshot.ordered == snapshot.naivelyOrdered)
        }
    }

    private func shuffled(_ snapshot: TraceSnapshot, _ generator: inout SeededGenerator) -> TraceSnapshot {
        var result = snapshot
        let objects = snapshot.objects.indices.shuffled(using: &generator)
        let references = snapshot.references.indices.shuffled(using: &generator)
        func place(_ old: UInt32, in order: [Int]) -> UInt32 { UInt32(order.firstIndex(of: Int(old))!) }
        result.objects = objects.map { snapshot.objects[$0] }
        result.references = references.map { snapshot.references[$0] }
        for index in result.objects.indices {
            result.objects[index].holder = result.objects[index].holder.map { place($0, in: references) }
        }
        for index in result.references.indices {
            result.references[index].source = place(result.references[index].source, in: objects)
            result.references[index].target = place(result.references[index].target, in: objects)
        }
        for index in result.cycles.indices {
            var steps = result.cycles[index].references.map { place($0, in: references) }
            let turn = Int.random(in: 0..<steps.count, using: &generator)
            steps = Array(steps[turn...] + steps[..<turn])
            result.cycles[index].references = steps
        }
        result.cycles.shuffle(using: &generator)
        result.limitations.shuffle(using: &generator)
        return result
    }

    // MARK: In a trace

    /// A trace with the snapshot in parts of `size` bytes, in any order.
    private func trace(
        _ snapshots: [TraceSnapshot], partBytes size: Int, leavingOut isLeftOut: (Int) -> Bool = { _ in false }
    ) throws -> TemporaryTrace {
        var builder = TraceBuilder()
        for (place, snapshot) in snapshots.enumerated() {
            let bytes = snapshot.encoded
            let count = (bytes.count + size - 1) / size
            for part in (0..<count).reversed() where !isLeftOut(part) {
                let piece = bytes[part * size..<min(bytes.count, (part + 1) * size)]
                builder.definitions(
                    thread: UInt32(1 + part % 3),
                    [
                        .raw(tag: 6, varint(UInt64(place) + 1) + varint(UInt64(part)) + varint(UInt64(count)) + piece),
                        .string(1, "between"),
                    ])
            }
        }
        return try TemporaryTrace(builder)
    }

    @Test func `a reader puts the parts of a snapshot together`() throws {
        let snapshots = (0..<3 as Range<UInt64>).map { RandomSnapshot(seed: $0, objects: 9).snapshot }
        let file = try trace(snapshots, partBytes: 100)
        let reader = try TraceReader(path: file.path)
        #expect(reader.snapshot(2) == snapshots[1])
        #expect(reader.snapshot(3) == snapshots[2])
        #expect(reader.snapshot(1) == snapshots[0])
        #expect(reader.isIntact)
        let definitions = try reader.definitions()
        #expect([1, 2, 3, 4].map(definitions.hasSnapshot) == [true, true, true, false])
        #expect(reader.snapshot(4) == nil)
        #expect(!reader.isIntact)
    }

    @Test func `a snapshot that lacks a part is lost, and the others are not`() throws {
        let snapshots = [RandomSnapshot(seed: 1, objects: 9).snapshot, TraceSnapshot()]
        let file = try trace(snapshots, partBytes: 100) { $0 == 2 }
        let reader = try TraceReader(path: file.path)
        #expect(reader.snapshot(2) == snapshots[1] && reader.isIntact)
        #expect(reader.snapshot(1) == nil)
        #expect(!reader.isIntact && reader.damage == [])
    }

    @Test func `parts that contradict one another make no snapshot`() throws {
        var builder = TraceBuilder()
        let bytes = TraceSnapshot().encoded
        builder.definitions([
            .raw(tag: 6, [1, 0, 2] + bytes.prefix(4)), .raw(tag: 6, [1, 1, 3] + bytes.dropFirst(4)),
            .raw(tag: 6, [2, 5, 2] + bytes), .raw(tag: 6, [3, 0, 0] + bytes),
            .raw(tag: 6, [4, 0, 1] + bytes), .raw(tag: 6, [4, 0, 1, 9]),
        ])
        let trace = try TemporaryTrace(builder)
        let reader = try TraceReader(path: trace.path)
        #expect([1, 2, 3].map { reader.snapshot($0) } == [nil, nil, nil])
        #expect(reader.snapshot(4) == TraceSnapshot())
        var damaged = TraceBuilder()
        damaged.definitions([.raw(tag: 6, [4, 0, 1] + bytes), .raw(tag: 6, [4, 0])])
        let second = try TemporaryTrace(damaged)
        let secondReader = try TraceReader(path: second.path)
        #expect(secondReader.snapshot(4) == TraceSnapshot())
        #expect(secondReader.damage.map(\.reason) == [.malformedDefinition(tag: 6)])
        _ = try secondReader.definitions()
        #expect(secondReader.damageCount == 1)
    }
}
