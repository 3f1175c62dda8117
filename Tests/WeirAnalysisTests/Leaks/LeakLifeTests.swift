import Testing

@testable import WeirAnalysis
@testable import WeirReport
@testable import WeirTrace

/// The rules on lives, for traces with tracked objects, subscriptions and checkpoints.
struct LeakLifeTests {
    private func trace(isClosed: Bool = true, _ write: (inout LeakTrace) -> Void) -> LeakTrace {
        var trace = LeakTrace(isClosed: isClosed)
        trace.object(1, "Screen", label: "main")
        trace.object(2, "Screen", label: "second")
        trace.node(1, "Session.refreshed", at: .screen(9))
        trace.subscription(1, to: 1, at: .screen(40), owner: 1)
        trace.subscription(2, to: 1, at: .screen(40), owner: 2)
        trace.subscription(3, to: 1, at: .screen(77))
        write(&trace)
        return trace
    }

    @Test func `what is released before the next checkpoint is in time`() throws {
        let found = try trace {
            $0.tracked(1)
            $0.expected(1)
            $0.released(1)
            $0.checkpoint("closed")
        }.findings()
        #expect(found.found.isEmpty && found.overdueCount == 0)
    }

    @Test func `what is alive at the next checkpoint outlived its scope`() throws {
        let found = try trace {
            $0.tracked(1)
            $0.checkpoint("shown")
            $0.expected(1)
            $0.checkpoint("closed")
            $0.checkpoint("later")
        }.findings()
        #expect(found.found.map(\.rule) == [.outlivedScope] && found.overdueCount == 1)
        #expect(
            found.found.first?.expectation
                == MissedExpectation(objects: 1, deadline: .checkpoint("closed"), deliveries: 0))
        #expect(found.found.first?.example == .tracked(1))
    }

    @Test func `without a checkpoint the end decides, if there was one`() throws {
        let expecting = { (trace: inout LeakTrace) in trace.expected(1) }
        let ended = try trace(expecting).findings()
        #expect(ended.found.first?.expectation == MissedExpectation(objects: 1, deadline: .end))
        // Nobody knows what a killed program would have released.
        #expect(try trace(isClosed: false, expecting).findings().found.isEmpty)
    }

    @Test func `what is released later is reported as late, and counts`() throws {
        let found = try trace {
            $0.expected(1)
            $0.expected(2)
            $0.checkpoint("closed")
            $0.released(1)
        }.findings()
        #expect(found.found.map(\.count) == [2])
        #expect(
            found.found.first?.expectation
                == MissedExpectation(objects: 2, late: 1, deadline: .checkpoint("closed"), deliveries: 0))
        // The example is an object that is still alive.
        #expect(found.found.first?.example == .tracked(2) && found.overdueCount == 1)
    }

    @Test func `where several checkpoints were missed, the first and the last of them are named`() throws {
        let trace = trace {
            $0.expected(1)
            $0.checkpoint("closed")
            $0.expected(2)
            $0.checkpoint("logged out")
        }
        let findings = try trace.findings()
        #expect(
            findings.found.map(\.expectation) == [
                MissedExpectation(
                    objects: 2, deadline: .checkpoint("closed"), lastDeadline: .checkpoint("logged out"), deliveries: 0)
            ])
        let headline = LeakWords(try #require(findings.found.first), TraceSnapshot(), nil).headline
        #expect(
            headline
                == "2 objects of an object were to be gone by checkpoint “closed”, the last by checkpoint “logged out”, and were not"
        )
    }

    @Test func `a checkpoint that comes again and again is one name`() throws {
        let findings = try trace {
            for id in 1...2 as ClosedRange<UInt32> {
                $0.expected(id)
                $0.checkpoint("closed")
            }
        }.findings()
        #expect(findings.found.map(\.expectation?.lastDeadline) == [nil])
        #expect(findings.found.map(\.expectation?.deadline) == [.checkpoint("closed")])
    }

    @Test func `what it received after the checkpoint is counted, and the end of a signal is no value`() throws {
        let found = try trace {
            for id in 1...3 as ClosedRange<UInt32> { $0.started(id) }
            $0.expected(1)
            $0.emitted(1, to: 1, 2, 3)
            $0.checkpoint("closed")
            $0.emitted(1, to: 1, 3)
            $0.emitted(1, to: 1, 2)
            $0.completed(1, to: 1, 2, 3)
            for id in 1...3 as ClosedRange<UInt32> { $0.ended(id) }
        }.findings()
        #expect(found.found.map(\.rule) == [.outlivedScope])
        #expect(found.found.first?.expectation?.deliveries == 2)
    }

    @Test func `a snapshot tells what holds it, and whose deliveries count`() throws {
        let held = HandMadeSnapshot.screens(2).snapshot
        let found = try trace {
            for id in [1, 2] as [UInt32] {
                $0.started(id)
                $0.expected(id)
            }
            $0.checkpoint("closed", held)
            $0.emitted(1, to: 1, 2)
            $0.taken(held)
        }.findings()
        let outlived = found.found.filter { $0.rule == .outlivedScope }
        #expect(outlived.map(\.count) == [2] && outlived.first?.expectation?.deliveries == 2)
        #expect(outlived.first?.example == .object(5) || outlived.first?.example == .object(4))
        #expect(outlived.first?.remedy.site == .screen(40))
        // They are reported once: neither as held by handlers, nor their subscriptions as left over.
        #expect(found.found.count == 1)
    }

    @Test func `of what was released late the snapshot of its checkpoint tells what held it`() throws {
        let found = try trace {
            $0.expected(1)
            $0.checkpoint("closed", HandMadeSnapshot.screens(1).snapshot)
            $0.released(1)
            $0.taken(TraceSnapshot())
        }.findings()
        #expect(found.found.map(\.snapshot) == [1])
        #expect(found.found.first?.remedy.site == .screen(40))
    }

    @Test func `work that a closed object still finished is to be awaited, not lost`() throws {
        var made = HandMadeSnapshot()
        let box = made.add(
            "box(Document)", kind: .box, outside: 1,
            by: .task([TaskWork(function: "closure #1 in Document.close()", kind: .closure)]))
        let document = made.add("Document", .object(1))
        made.hold(
            along: made.refer(box, "", to: document, function: "closure #1 in Document.close()", at: .screen(40)))
        for isLate in [true, false] {
            let found = try trace {
                $0.expected(1)
                $0.checkpoint("closed", made.snapshot)
                if isLate { $0.released(1) }
                $0.taken(isLate ? TraceSnapshot() : made.snapshot)
            }.findings()
            #expect(found.found.map(\.remedy.kind) == [isLate ? .awaitWork : .cancelTask])
            let words = try #require(found.found.first.map { LeakDrawing($0, in: made.snapshot).words })
            #expect(
                words.headline
                    == "Document was to be gone by checkpoint “closed”, and was \(isLate ? "gone only later" : "not")")
            if isLate { #expect(words.remedy == "await its work before checkpoint “closed”") }
        }
    }

    @Test func `an object that is garbage is reported by its cycle`() throws {
        let found = try trace {
            $0.expected(1)
            $0.checkpoint("closed", HandMadeSnapshot.login.snapshot)
        }.findings()
        #expect(found.found.map(\.rule) == [.retainCycle])
        #expect(
            found.found.first?.expectation
                == MissedExpectation(objects: 1, deadline: .checkpoint("closed"), deliveries: 0))
        // The model and the node on the cycle.
        #expect(found.overdueCount == 2 && found.garbageCount == 2)
    }

    @Test func `a subscription that survives its owner is a warning, one that is left at the end a note`() throws {
        let found = try trace {
            for id in 1...3 as ClosedRange<UInt32> { $0.started(id) }
            $0.tracked(1)
            $0.tracked(2)
            $0.released(1)
            $0.released(2)
        }.findings().found
        #expect(found.map(\.example) == [.orphan(1), .openSubscription(3)])
        #expect(found.map(\.severity) == [.warning, .note] && found.map(\.count) == [2, 1])
        #expect(found.map(\.remedy.site) == [.screen(40), .screen(77)])
    }

    @Test func `subscriptions of one line to several nodes are said to be to all of them`() throws {
        func headlines(_ nodes: UInt32) throws -> [String] {
            var trace = LeakTrace()
            for node in 1...nodes {
                trace.node(node, "LoginVM.\(node)", at: .screen(9))
                for round in 0...1 as ClosedRange<UInt32> {
                    trace.subscription(node + 10 * round, to: node, at: .screen(15))
                    trace.started(node + 10 * round)
                }
            }
            let found = try trace.findings().found
            return try trace.read { reader, _ in
                let definitions = try reader.definitions()
                return found.map { LeakWords($0, TraceSnapshot(), definitions).headline }
            }
        }
        let end = "(made at App/Screen.swift:15) are alive at the end of the recording"
        #expect(try headlines(1) == ["2 subscriptions to LoginVM.1 \(end)"])
        #expect(try headlines(2) == ["4 subscriptions to LoginVM.1 and LoginVM.2 \(end)"])
        #expect(try headlines(3) == ["6 subscriptions to LoginVM.1, LoginVM.2 and LoginVM.3 \(end)"])
        #expect(try headlines(5) == ["10 subscriptions to LoginVM.1, LoginVM.2, LoginVM.3 and more \(end)"])
    }

    @Test func `what is left over is reported only of recordings that ended, and not at a checkpoint`() throws {
        let write = { (trace: inout LeakTrace) in
            trace.started(3)
            trace.checkpoint("closed")
        }
        #expect(try trace(write).findings().found.map(\.example) == [.openSubscription(3)])
        #expect(try trace(write).findings(at: "closed").found.isEmpty)
        #expect(try trace(isClosed: false, write).findings().found.isEmpty)
    }

    @Test func `a checkpoint is judged with what was known at it`() throws {
        let trace = trace {
            $0.expected(1)
            $0.checkpoint("closed", HandMadeSnapshot.screens(1).snapshot)
            $0.checkpoint("closed", HandMadeSnapshot.login.snapshot)
            $0.released(1)
        }
        #expect(try trace.findings(at: "closed#1").found.map(\.rule) == [.outlivedScope])
        #expect(try trace.findings(at: "closed#2").found.map(\.rule) == [.retainCycle])
        #expect(try trace.findings(at: "closed").found.map(\.rule) == [.retainCycle])
    }

    @Test func `a line of which each round leaves more is reported with the difference`() throws {
        let found = try trace { trace in
            for round in 0..<4 as Range<UInt32> {
                for id in 0...round {
                    trace.node(10 * round + id + 10, at: .screen(50))
                    trace.created(node: 10 * round + id + 10)
                }
                // For each of these that is added, another is released.
                trace.object(round + 10, "Row")
                trace.tracked(round + 10)
                if round > 0 { trace.released(round + 9) }
                trace.checkpoint("round")
            }
        }.findings().found
        #expect(found.map(\.rule) == [.growth] && found.map(\.count) == [9])
        #expect(
            found.first?.example
                == .growth(
                    LineGrowth(
                        checkpoint: "round", rounds: 4, line: .nodes(rawKind: 1, .screen(50)), first: 1, last: 10))
        )
    }

    @Test(arguments: [
        ([1, 2], 0), ([1, 2, 2], 0), ([1, 2, 3], 1), ([3, 2, 4], 0), ([0, 1, 2], 1), ([1, 2, 1, 5], 0),
    ])
    func `growth is a rise from each of at least three rounds to the next`(_ alive: [Int], _ findings: Int) throws {
        let found = try trace { trace in
            var (next, living) = (UInt32(100), [UInt32]())
            for count in alive {
                while living.count < count {
                    next += 1
                    trace.object(next, "Row")
                    trace.tracked(next)
                    living.append(next)
                }
                while living.count > count { trace.released(living.removeFirst()) }
                trace.checkpoint("round")
            }
        }.findings().found
        #expect(found.count { $0.rule == .growth } == findings)
    }

    @Test(arguments: [0, 1, 2])
    func `a list of a living model may grow on purpose: a note names it`(_ fault: Int) throws {
        var made = HandMadeSnapshot()
        let chat = made.add("Chat", fault == 1 ? .none : .object(90), outside: 1)
        let storage = made.add("Array<Message>", kind: .storage)
        made.hold(along: made.refer(chat, ".messages", to: storage))
        let found = try trace { trace in
            trace.object(90, "Chat")
            trace.tracked(90)
            for round in 0..<4 as Range<UInt32> {
                trace.object(100 + round, "Message")
                trace.tracked(100 + round)
                // One that the list does not hold is unexplained.
                let message = made.add("Message", .object(100 + round), outside: fault == 2 && round == 3 ? 1 : 0)
                if fault != 2 || round < 3 { made.hold(along: made.refer(storage, "[\(round)]", to: message)) }
                trace.checkpoint("home")
            }
            trace.taken(made.snapshot)
        }.findings().found
        #expect(found.map(\.rule) == [.growth])
        let growth = try #require(found.first)
        guard fault == 0 else {
            // Nobody says that a list of an object that is not tracked may grow, but it is named.
            #expect(growth.severity == .warning && (growth.collection != nil) == (fault == 1))
            return
        }
        #expect(growth.severity == .note)
        let words = LeakWords(growth, made.snapshot, nil)
        #expect(words.collection == ".messages of Chat holds 4: all that are alive.")
        #expect(
            words.remedy == "if the list should not grow, remove from .messages of Chat what is no longer needed")
    }

    @Test func `a growing collection in a variable is named`() throws {
        var made = HandMadeSnapshot()
        let rows = made.add("Dictionary<Int, Array<Row>>", kind: .storage, outside: 1, by: .variable("static Row.all"))
        let inner = made.add("Array<Row>", kind: .storage)
        made.hold(along: made.refer(rows, "[key]", to: inner))
        let found = try trace { trace in
            for round in 0..<4 as Range<UInt32> {
                trace.object(100 + round, "Row")
                trace.tracked(100 + round)
                let row = made.add("Row", .object(100 + round))
                made.hold(along: made.refer(inner, "[\(round)]", to: row))
                trace.checkpoint("home")
            }
            trace.taken(made.snapshot)
        }.findings().found
        #expect(found.map(\.rule) == [.growth] && found.map(\.severity) == [.warning])
        let words = LeakWords(try #require(found.first), made.snapshot, nil)
        #expect(words.collection == "static Row.all holds 4: all that are alive.")
        #expect(words.remedy == "if it should not grow, remove from static Row.all what is no longer needed")
    }

    @Test func `a lost snapshot takes cycles away, and nothing else`() throws {
        let found = try trace {
            $0.expected(1)
            $0.checkpoint("closed")
            $0.taken(HandMadeSnapshot.login.snapshot, isLost: true)
        }.findings()
        #expect(found.found.map(\.example) == [.tracked(1)])
    }
}
