import Testing
import Weir
import WeirTesting

extension Everything {
    /// Operators with several sources, by diagrams.
    @MainActor @Suite struct SeveralSourcesMarbleTests {
        struct Refusal: Error {}

        // MARK: merge

        @Test func `merge passes values on as they come and completes with the last source`() throws {
            try marbles { m in
                let a = m.hot("  --1-----2--|")
                let b = m.hot("  ----3-4------5|")
                m.expect(a.merge(b), "--1-3-4-2----5|")
                m.expect(subscriptionsOf: a, "^----------!")
                m.expect(subscriptionsOf: b, "^-------------!")
            }
        }

        @Test func `merge fails with the first failure and ends the other subscription`() throws {
            try marbles { m in
                let a = m.hot("  --1--#")
                let b = m.hot("  ---2---3---|")
                m.expect(a.merge(b), "--12-#")
                m.expect(subscriptionsOf: b, "^----!")
            }
        }

        @Test func `merge of nothing completes at once; of one it is that one`() throws {
            try marbles { m in
                m.expect(Signal<Int>.merge([]), "|")
                m.expect(Signal<Int>.merge([m.cold("-1-|")]), "-1-|")
                m.expect(m.cold("1|").merge(m.cold("2|"), m.cold("-3-|")), "(12)3-|")
            }
        }

        // MARK: concat

        @Test func `concat listens to each source when the former has completed`() throws {
            try marbles { m in
                let a = m.cold("   --1--2--|")
                let b = m.cold("           -3-|")
                m.expect(a.concat(b), "--1--2---3-|")
                m.expect(subscriptionsOf: a, "^-------!")
                m.expect(subscriptionsOf: b, "--------^--!")
            }
        }

        @Test func `concat hears a hot source only from its turn on`() throws {
            try marbles { m in
                let a = m.hot("    --1---|")
                let b = m.hot("    ---2-----3-|")
                m.expect(a.concat(b), "--1------3-|")
            }
        }

        @Test func `concat stops at a failure`() throws {
            try marbles { m in
                let b = m.cold("2|")
                m.expect(m.cold("-1-#").concat(b), "-1-#")
                m.expect(subscriptionsOf: b)
            }
        }

        @Test func `concat of nothing completes at once; a signal can follow itself`() throws {
            try marbles { m in
                m.expect(Signal<Int>.concat([]), "|")
                let again = m.cold("-1|")
                m.expect(again.concat(again, again), "-1-1-1|")
            }
        }

        @Test func `concat is disposed together with the source whose turn it is`() throws {
            try marbles { m in
                let (a, b) = (m.cold("--1|"), m.cold("--2--3--|"))
                m.expect(a.concat(b), "--1--2-!")
                m.expect(subscriptionsOf: a, "^--!")
                m.expect(subscriptionsOf: b, "---^---!")
            }
        }

        // MARK: zip

        @Test func `zip pairs values and completes when no further pair is possible`() throws {
            try marbles { m in
                let a = m.hot("  --1--2-----3--|")
                let b = m.hot("  ----4----5------6--|")
                m.expect(a.zip(b) { $0 * 10 + $1 }, "----x----y------(z|)", ["x": 14, "y": 25, "z": 36])
                m.expect(subscriptionsOf: b, "^---------------!")
            }
        }

        @Test func `zip completes with a source that has nothing left to pair`() throws {
            try marbles { m in
                let b = m.hot("--3--4--5--6--|")
                m.expect(m.hot("-1-2--|").zip(b) { $0 * 10 + $1 }, "--x--y|", ["x": 13, "y": 24])
                m.expect(subscriptionsOf: b, "^-----!")
                m.expect(m.hot("--|").zip(m.hot("---1-|")) { $0 + $1 }, "--|")
            }
        }

        @Test func `zip fails at once, though there is something to pair`() throws {
            try marbles { m in
                m.expect(m.hot("12--#").zip(m.hot("-----6-|")) { $0 + $1 }, "----#")
                m.expect(
                    m.hot("-1-2-|").zip(m.hot("-1-2-|")) { if $0 == 2 { throw Refusal() } else { $0 + $1 } },
                    "-2-#", error: Refusal())
            }
        }

        @Test func `zip of three and of four makes rows`() throws {
            try marbles { m in
                let (a, b, c, d) = (m.hot("1--2-|"), m.hot("-3-4-|"), m.hot("--5-6|"), m.hot("7--8-|"))
                m.expect(a.zip(b, c) { [$0, $1, $2] }, "--x-y|", ["x": [1, 3, 5], "y": [2, 4, 6]])
                m.expect(
                    a.zip(b, c, d) { [$0, $1, $2, $3] }, "--x-y|", ["x": [1, 3, 5, 7], "y": [2, 4, 6, 8]])
                m.expect(a.zip(b).map { [$0, $1] }, "-x-y-|", ["x": [1, 3], "y": [2, 4]])
            }
        }

        // MARK: combineLatest

        @Test func `combineLatest emits on each value once all have one, and completes with the last`() throws {
            try marbles { m in
                let a = m.hot("  --1-----2------|")
                let b = m.hot("  ----3------4-----|")
                m.expect(a.combineLatest(b) { $0 * 10 + $1 }, "----x---y--z-----|", ["x": 13, "y": 23, "z": 24])
            }
        }

        @Test func `combineLatest completes when a source completes that has not emitted`() throws {
            try marbles { m in
                let b = m.hot("-1--2--|")
                m.expect(m.hot("---|").combineLatest(b) { $0 + $1 }, "---|")
                m.expect(subscriptionsOf: b, "^--!")
            }
        }

        @Test func `combineLatest fails with a source or with the transform`() throws {
            try marbles { m in
                m.expect(m.hot("1---#").combineLatest(m.hot("-2----3")) { $0 + $1 }, "-3--#")
                m.expect(
                    m.hot("1").combineLatest(m.hot("-2-3")) { if $1 == 3 { throw Refusal() } else { $0 + $1 } },
                    "-3-#", error: Refusal())
            }
        }

        @Test func `combineLatest of three and of four`() throws {
            try marbles { m in
                let (a, b, c, d) = (m.hot("1--2-|"), m.hot("-3---|"), m.hot("--5-6|"), m.hot("---8-|"))
                m.expect(
                    a.combineLatest(b, c) { [$0, $1, $2] }, "--xyz|",
                    ["x": [1, 3, 5], "y": [2, 3, 5], "z": [2, 3, 6]])
                m.expect(
                    a.combineLatest(b, c, d) { [$0, $1, $2, $3] }, "---yz|",
                    ["y": [2, 3, 5, 8], "z": [2, 3, 6, 8]])
                m.expect(a.combineLatest(b).map { [$0, $1] }, "-x-y-|", ["x": [1, 3], "y": [2, 3]])
            }
        }

        // MARK: withLatest

        @Test func `withLatest pairs each value with the latest of the other, which emits nothing itself`() throws {
            try marbles { m in
                let a = m.hot("  --1-----2---3--|")
                let b = m.hot("  ----4-5-------6--|")
                m.expect(a.withLatest(from: b) { $0 * 10 + $1 }, "--------x---y--|", ["x": 25, "y": 35])
                m.expect(subscriptionsOf: b, "^--------------!")
            }
        }

        @Test func `withLatest outlives the completion of the other, not its failure`() throws {
            try marbles { m in
                m.expect(m.hot("--1-2-|").withLatest(from: m.hot("-3|")) { $0 + $1 }, "--4-5-|")
                m.expect(m.hot("--1-2-|").withLatest(from: m.hot("---#")) { $0 + $1 }, "---#")
                m.expect(
                    m.hot("--1-2-|").withLatest(from: m.cold("3|")) { if $0 == 2 { throw Refusal() } else { $0 + $1 } },
                    "--4-#", error: Refusal())
                m.expect(m.hot("-1-|").withLatest(from: m.cold("3|")).map { [$0, $1] }, "-x-|", ["x": [1, 3]])
            }
        }

        // MARK: takeUntil, skipUntil, sample

        @Test func `takeUntil completes with the other's first value`() throws {
            try marbles { m in
                let a = m.hot("     --1--2--3--4--|")
                let b = m.hot("     -------1--2---|")
                m.expect(a.takeUntil(b), "--1--2-|")
                m.expect(subscriptionsOf: a, "^------!")
                m.expect(subscriptionsOf: b, "^------!")
            }
        }

        @Test func `takeUntil never begins when the other emits at once, and ignores its completion`() throws {
            try marbles { m in
                let a = m.hot("-1-2-|")
                m.expect(a.takeUntil(m.cold("1")), "|")
                m.expect(subscriptionsOf: a)
                m.expect(m.hot("-1-2-|").takeUntil(m.hot("--|")), "-1-2-|")
                m.expect(m.hot("-1-2-|").takeUntil(m.hot("--#")), "-1#")
                m.expect(m.hot("-1-#").takeUntil(m.hot("----1")), "-1-#")
            }
        }

        @Test func `skipUntil begins with the other's first value, and then lets go of it`() throws {
            try marbles { m in
                let a = m.hot("     --1--2--3--4--|")
                let b = m.hot("     -------1--2#")
                m.expect(a.skipUntil(b), "--------3--4--|")
                m.expect(subscriptionsOf: b, "^------!")
                m.expect(m.hot("-1-2-|").skipUntil(m.hot("--|")), "-----|")
                m.expect(m.hot("-1-2-|").skipUntil(m.hot("--#")), "--#")
                m.expect(m.hot("-1-2-|").skipUntil(m.cold("1")), "-1-2-|")
            }
        }

        @Test func `sample emits the latest value at each tick, none twice`() throws {
            try marbles { m in
                let a = m.hot("        --1--2-----3---4-|")
                let tick = m.hot("     -----------------------")
                let b = m.hot("        -1-----2-3--4---------")
                m.expect(a.sample(on: b), "-------2----3----|")
                m.expect(a.sample(on: tick), "-----------------|")
                m.expect(m.hot("-1-2--3-|").sample(on: m.hot("--1|")), "--1-----|")
                m.expect(m.hot("-1-2--3-|").sample(on: m.hot("--1#")), "--1#")
                m.expect(m.hot("-1-#").sample(on: m.hot("--1-1")), "--1#")
            }
        }

        @Test func `take(while:) and skip(while:) split a signal at the first value that fails the test`() throws {
            try marbles { m in
                let a = m.hot("               --1--2--3--1--|")
                m.expect(a.take { $0 < 3 }, " --1--2--|")
                m.expect(a.skip { $0 < 3 }, " --------3--1--|")
                m.expect(subscriptionsOf: a, "^-------!", "^-------------!")
                m.expect(m.hot("-1-2").take { if $0 == 2 { throw Refusal() } else { true } }, "-1-#", error: Refusal())
                m.expect(m.hot("-1-2").skip { if $0 == 2 { throw Refusal() } else { true } }, "---#", error: Refusal())
            }
        }

        // MARK: flatMap

        @Test func `flatMap(merge) listens to all signals at once`() throws {
            try marbles { m in
                let source = m.hot("             --1----2-----|")
                let (a, b) = (m.cold("--1--2--3--|"), m.cold("--4---5------|"))
                m.expect(source.flatMap(.merge) { $0 == 1 ? a : b }, "----1--2-43--5------|")
                m.expect(subscriptionsOf: a, "                        --^----------!")
                m.expect(subscriptionsOf: b, "                        -------^------------!")
            }
        }

        @Test func `flatMap(latest) ends the former subscription`() throws {
            try marbles { m in
                let source = m.hot("             --1----2-----|")
                let (a, b) = (m.cold("--1--2--3--|"), m.cold("--4---5------|"))
                m.expect(source.flatMap(.latest) { $0 == 1 ? a : b }, "----1----4---5------|")
                m.expect(subscriptionsOf: a, "                         --^----!")
                m.expect(subscriptionsOf: b, "                         -------^------------!")
            }
        }

        @Test func `flatMap(concat) waits for the former to complete, and only then runs the transform`() throws {
            try marbles { m in
                let source = m.hot("             --1--2-3---|")
                let (a, b) = (m.cold("-1---2--|"), m.cold("-4-|"))
                let time = m.scheduler
                nonisolated(unsafe) var made: [UInt64] = []
                m.expect(
                    source.flatMap(.concat) {
                        made.append(time.now / 1_000_000)
                        return $0 == 1 ? a : b
                    }, "                         ---1---2---4--4-|")
                m.expect(subscriptionsOf: a, "--^-------!")
                m.expect(subscriptionsOf: b, "----------^--!", "-------------^--!")
                m.at(30) { #expect(made == [2, 10, 13]) }
            }
        }

        @Test(arguments: [FlattenStrategy.merge, .latest, .concat, .first])
        func `flatMap fails with the source, an inner signal or the transform`(_ strategy: FlattenStrategy) throws {
            try marbles { m in
                let inner = m.cold("-1-----|")
                m.expect(m.hot("-1---#").flatMap(strategy) { _ in inner }, "--1--#")
                m.expect(subscriptionsOf: inner, "-^---!")
                let source = m.hot("-1----2-")
                let failing = m.cold("-1-#")
                m.expect(source.flatMap(strategy) { _ in failing }, "--1-#")
                m.expect(subscriptionsOf: source, "^---!")
                let second = m.hot("-1---2-")
                let completing = m.cold("-1|")
                m.expect(
                    second.flatMap(strategy) { if $0 == 2 { throw Refusal() } else { completing } }, "--1--#",
                    error: Refusal())
                m.expect(subscriptionsOf: second, "^----!")
            }
        }

        @Test(arguments: [FlattenStrategy.merge, .latest, .concat, .first])
        func `flatMap is disposed together with the inner signal`(_ strategy: FlattenStrategy) throws {
            try marbles { m in
                let (source, inner) = (m.hot("-1-------|"), m.cold("-1-2-3-4|"))
                m.expect(source.flatMap(strategy) { _ in inner }, "--1-2!")
                m.expect(subscriptionsOf: source, "^----!")
                m.expect(subscriptionsOf: inner, "-^---!")
                m.expect(m.hot("--|").flatMap(strategy) { _ in inner }, "--|")
            }
        }

        @Test func `flatten takes signals as they are, observables too`() throws {
            try marbles { m in
                let (a, b) = (m.cold("-1-2-3|"), m.cold("-4|"))
                m.expect(m.hot("-a--b-|", ["a": a, "b": b]).flatten(.latest), "--1--4|")
            }
            let signals = Emitter<Observable<Int>>()
            var heard: [Int] = []
            signals.flatten(.latest).subscribe { heard.append($0) }
            let (first, second) = (Observable(1), Observable(2))
            signals.emit(first)
            first.value = 10
            signals.emit(second)
            first.value = 11
            second.value = 20
            #expect(heard == [10, 20])
        }
    }
}
