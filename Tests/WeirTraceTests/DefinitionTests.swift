import Testing

@testable import WeirTrace

struct DefinitionTests {
    private func definitions(_ builder: TraceBuilder) throws -> (TraceDefinitions, [TraceDamage]) {
        let trace = try TemporaryTrace(builder)
        let reader = try TraceReader(path: trace.path)
        return (try reader.definitions(), reader.damage)
    }

    @Test func `nodes, subscriptions and objects are read with their names`() throws {
        var builder = TraceBuilder()
        builder.definitions([
            .string(1, "Login/LoginView.swift"), .string(2, "LoginViewModel.username"), .string(3, "String"),
            .node(
                12, kind: 1, flags: 1, label: 2, type: 3, file: 1, line: 12, owner: 5, value: .form(1)),
            .node(13, kind: 2, file: 1, line: 40), .node(14, kind: 99, file: 1, line: 41), .node(15),
            .subscription(70, source: 12, target: 13, flags: 3, file: 1, line: 18),
            .subscription(71, source: 12),
            .object(5, type: 3, label: 2), .object(6, type: 3), .object(7),
        ])
        let (found, damage) = try definitions(builder)
        let site = TraceSite(file: "Login/LoginView.swift", line: 12)
        #expect(
            found.nodes[12]
                == TraceNode(
                    id: 12, rawKind: 1, isPrivate: true, label: "LoginViewModel.username",
                    valueType: "String",
                    site: site, owner: 5, value: .withheld))
        #expect(site.description == "Login/LoginView.swift:12")
        #expect(
            [12, 13, 14, 15, 16].map(found.name(ofNode:)) == [
                "LoginViewModel.username", "emitter LoginView.swift:40", "node LoginView.swift:41", "node 15",
                "node 16",
            ])
        #expect(found.nodes[13]?.kind == .emitter)
        #expect(found.nodes[14]?.kind == nil)
        #expect(
            found.subscriptions[70]
                == TraceSubscription(
                    id: 70, source: 12, target: 13, isInternal: true, isTiming: true,
                    site: TraceSite(file: "Login/LoginView.swift", line: 18)))
        #expect(found.subscriptions[71] == TraceSubscription(id: 71, source: 12))
        #expect(
            [5, 6, 7].map { found.objects[$0]?.name } == ["LoginViewModel.username", "String", "object 7"])
        #expect(damage == [])
    }

    @Test func `what is meant so is read with its reason and its place`() throws {
        var builder = TraceBuilder()
        builder.definitions([
            .string(1, "Login/LoginView.swift"), .string(2, "burst"), .string(3, "a progress bar"),
            .string(4, "rule-of-tomorrow"), .intention(12, rule: 2, reason: 3, file: 1, line: 18),
            .intention(12, rule: 4), .intention(12), .intention(12, rule: 99, reason: 3), .node(12),
        ])
        // Another thread, in a later generation, repeats one definition and adds another.
        builder.definitions(
            thread: 2, generation: 2,
            [
                .string(7, "a progress bar"), .string(8, "burst"), .string(9, "Login/LoginView.swift"),
                .intention(12, rule: 8, reason: 7, file: 9, line: 18),
                .intention(12, rule: 8, reason: 7, file: 9, line: 19),
                .intention(13, rule: 8, reason: 7, file: 9, line: 18),
            ])
        let (found, damage) = try definitions(builder)
        func burst(_ node: UInt32, _ line: Int) -> TraceIntention {
            TraceIntention(
                node: node, rule: "burst", reason: "a progress bar",
                site: TraceSite(file: "Login/LoginView.swift", line: line))
        }
        let unknown = TraceIntention(node: 12, rule: "rule-of-tomorrow", reason: "")
        #expect(found.intentions == [12: [burst(12, 18), unknown, burst(12, 19)], 13: [burst(13, 18)]])
        #expect(damage == [])
    }

    @Test func `of a node no more than 64 intentions are kept`() throws {
        var builder = TraceBuilder()
        let many = (1...6000).map { Definition.intention(5, rule: 1, file: 1, line: $0 % 100) }
        builder.definitions([.string(1, "burst")] + many + [.intention(6, rule: 1)])
        let (found, damage) = try definitions(builder)
        #expect(found.intentions[5]?.compactMap(\.site?.line) == Array(1...64))
        #expect(found.intentions[6]?.count == 1)
        #expect(damage == [])
    }

    @Test func `an object keeps the name that it was once given`() throws {
        var builder = TraceBuilder()
        builder.definitions([.string(1, "View"), .string(2, "login"), .object(5, type: 1, label: 2)])
        builder.definitions(thread: 2, [.string(1, "View"), .object(5, type: 1)])
        #expect(try definitions(builder).0.objects[5] == TraceObject(id: 5, type: "View", label: "login"))
    }

    @Test func `operators are named as their makers write them`() {
        let words = Dictionary(uniqueKeysWithValues: NodeKind.allCases.map { ($0, $0.name) })
        #expect(
            words == [
                .observable: "observable", .emitter: "emitter", .combiner: "combiner", .observer: "observer",
                .source: "source", .command: "command", .channel: "channel", .array: "array", .binding: "binding",
                .foreign: "foreign",
                .map: "map", .compactMap: "compactMap", .filter: "filter", .removeDuplicates: "removeDuplicates",
                .scan: "scan",
                .flatMap: "flatMap", .combineLatest: "combineLatest", .zip: "zip", .merge: "merge", .concat: "concat",
                .startWith: "startWith", .withLatest: "withLatest", .take: "take", .skip: "skip",
                .takeUntil: "takeUntil", .skipUntil: "skipUntil", .throttle: "throttle", .debounce: "debounce",
                .delay: "delay", .timeout: "timeout", .buffer: "buffer", .sample: "sample", .retry: "retry",
                .catch: "catch", .materialize: "materialize", .dematerialize: "dematerialize", .share: "share",
                .replay: "replay", .execution: "execution", .onEvent: "onEvent", .deliver: "deliver(on:)",
                .subscribe: "subscribe(on:)",
                .disclose: "disclose", .current: "current", .changes: "changes",
                .reduce: "reduce", .collect: "collect", .last: "last", .race: "race", .multicast: "multicast",
                .print: "print",
            ])
        let site = TraceSite(file: "Search/Search.swift", line: 12)
        #expect(TraceNode(id: 1, rawKind: 45, site: site).name == "deliver(on:) Search.swift:12")
    }

    @Test func `a string id is meant for its thread and generation only`() throws {
        var builder = TraceBuilder()
        builder.definitions(thread: 1, generation: 1, [.string(1, "one")])
        builder.definitions(thread: 2, generation: 1, [.string(1, "two")])
        builder.definitions(thread: 1, generation: 2, [.string(1, "later"), .node(3, label: 1)])
        builder.definitions(thread: 1, generation: 1, [.node(1, label: 1)])
        builder.definitions(thread: 2, generation: 1, [.node(2, label: 1)])
        let (found, _) = try definitions(builder)
        #expect([1, 2, 3].map(found.name(ofNode:)) == ["one", "two", "later"])
    }

    @Test func `the value of the definition that was written first counts, wherever it stands`() throws {
        var builder = TraceBuilder()
        builder.definitions([.node(1, value: .signed(1))])
        builder.definitions(thread: 2, [.node(1, value: .signed(2))])
        builder.chunks[0].serial = 3
        let (found, _) = try definitions(builder)
        #expect(found.nodes[1]?.value == .signed(2))
    }

    @Test func `who runs on a thread is read, and once where it is reported again`() throws {
        var builder = TraceBuilder()
        builder.definitions(
            thread: 2,
            [
                .string(1, "Store"), .executorSpan(from: 4, number: 1, what: 1),
                .executorSpan(from: 9, number: 5, what: 2, type: 1),
                .executorSpan(from: 12, number: 5, what: 2, type: 1), .executorSpan(from: 9, number: 1, what: 1),
                .executorSpan(from: 20),
            ])
        builder.definitions(thread: 3, [.executorSpan(from: 1, number: 6, what: 2)])
        let (found, damage) = try definitions(builder)
        #expect(
            found.executorSpans == [
                2: [
                    ExecutorSpan(sequence: 4, number: 1), ExecutorSpan(sequence: 9, number: 5),
                    ExecutorSpan(sequence: 20, number: 2),
                ],
                3: [ExecutorSpan(sequence: 1, number: 6)],
            ])
        #expect(found.runners == [1: .main, 5: .actor("Store"), 6: .actor(nil)])
        #expect(damage == [])
    }

    @Test func `tags of later versions and further fields are skipped`() throws {
        var builder = TraceBuilder()
        builder.definitions([
            .raw(tag: 6, [1, 2, 3]), .raw(tag: 255, []), .string(1, "burst"),
            .raw(tag: 2, Definition.node(4).parts.payload + [9, 9]),
            .raw(tag: 3, Definition.subscription(5, source: 4, owner: 6).parts.payload + [9]),
            .raw(tag: 5, Definition.intention(4, rule: 1).parts.payload + [9]),
            .raw(tag: 4, Definition.object(6).parts.payload + [9]),
            .raw(tag: 7, Definition.executorSpan(from: 3, number: 8, what: 1).parts.payload + [9]),
        ])
        let (found, damage) = try definitions(builder)
        #expect(Array(found.nodes.keys) == [4])
        #expect(Array(found.subscriptions.keys) == [5])
        #expect(Array(found.objects.keys) == [6])
        #expect(found.subscriptions[5]?.owner == 6)
        #expect(found.intentions == [4: [TraceIntention(node: 4, rule: "burst", reason: "")]])
        #expect(found.runners == [8: .main])
        #expect(damage == [])
    }

    @Test(
        arguments: [
            .raw(tag: 0, []), .raw(tag: 1, []), .raw(tag: 2, [1, 1]), .raw(tag: 3, [1]),
            .raw(tag: 4, [1, 1]), .raw(tag: 5, [1, 1, 1, 1]), .raw(tag: 5, []), .raw(tag: 7, [1, 1]),
            .raw(tag: 3, Definition.subscription(1, source: 1).parts.payload + [0x80]),
            .raw(tag: 3, Definition.subscription(1, source: 1, owner: 1 << 32).parts.payload),
            .intention(1 << 32),
            .raw(tag: 2, Definition.node(1, value: .form(16)).parts.payload),
        ] as [Definition])
    func `a malformed definition ends its chunk and is named`(record: Definition) throws {
        var builder = TraceBuilder()
        builder.definitions([.node(1), record, .node(2)])
        builder.definitions([.node(3)])
        let (found, damage) = try definitions(builder)
        #expect(found.nodes.keys.sorted() == [1, 3])
        let offset = UInt64(4096 + 64 + Definition.node(1).bytes.count)
        #expect(
            damage == [
                TraceDamage(
                    chunk: 0, thread: 1, offset: offset, reason: .malformedDefinition(tag: record.parts.tag))
            ])
    }
}
