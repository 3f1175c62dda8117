import CWeir
import Dispatch
import Foundation
import Testing
import WeirTrace

@testable import Weir

extension Everything {
    @Suite struct LiveRegistryTests {
        private let registry = LiveRegistry.shared

        @Test func `Without a recording nobody is in the registry`() {
            let before = registry.count
            let number = Observable(0)
            let mapped = number.map { $0 + 1 }
            mapped.subscribe { _ in }
            number.subscribe { _ in }
            number.value = 1
            #expect(registry.count == before)
        }

        @Test func `Who is recorded is in the registry until its deinit, also after the recording`() throws {
            let before = registry.count
            var number: Observable<Int>? = Observable(0)
            _ = try record {
                number?.map { -$0 }.subscribe { _ in }
                number?.subscribe { _ in }
                number?.value = 1
                // The observable, the node of the map, the edge to it, and two handlers.
                #expect(registry.count == before + 5)
            }
            #expect(registry.count == before + 5)
            _ = try record {
                number?.value = 2
                #expect(registry.count == before + 5)
            }
            number = nil
            #expect(registry.count == before)
            registry.checkInvariants()
        }

        @Test func `A flight recorder's generations enter nobody twice`() throws {
            let before = registry.count
            _ = try record(limit: .bytes(1 << 20)) {
                let number = Observable(0)
                number.subscribe { _ in }
                for value in 1...300_000 { number.value = value }
                #expect(registry.count == before + 2)
            }
            #expect(registry.count == before)
            registry.checkInvariants()
        }

        @Test func `A recording finds its own, under the numbers that it gave`() throws {
            let (first, second) = (Observable(0), Observable(0))
            func found() -> [UInt] {
                let session = ThreadLog().session
                var found: [UInt32: UInt] = [:]
                let biased = registry.lock()
                registry.forEach(of: session) { found[TraceCode.decode($0.code)] = $0.address }
                registry.unlock(biased)
                return found.sorted { $0.key < $1.key }.map(\.value)
            }
            func address(_ object: AnyObject) -> UInt { UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()) }
            _ = try record {
                first.value = 1
                second.value = 1
                #expect(found() == [address(first), address(second)])
            }
            _ = try record {
                second.value = 2
                #expect(found() == [address(second)])
                first.value = 2
                #expect(found() == [address(second), address(first)])
            }
        }

        @Test func `Eight threads make and drop, and the registry stays in order`() throws {
            let before = registry.count
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, limit: .bytes(4 << 20), snapshots: .none)
            let shared = Emitter<Int>()
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                var kept: [Observable<Int>] = []
                for round in 0..<2000 {
                    let own = Observable(round)
                    own.subscribe { _ in }
                    let link = shared.subscribe { _ in }
                    own.value = -1
                    if round % 3 == thread % 3 { kept.append(own) }
                    if round % 100 == 99 { kept.removeAll() }
                    link.dispose()
                }
            }
            #expect(registry.count == before + 1)
            registry.checkInvariants()
            Trace.stop()
        }

        @Test func `An entry takes sixteen bytes, and a free one is used again`() {
            #expect(MemoryLayout<LiveRegistry.Entry>.stride == 16)
            let registry = LiveRegistry()
            let objects = (0..<1000).map { Observable($0) }
            var places = [UInt32](repeating: 0, count: 1000)
            for round in 1...3 as ClosedRange<UInt32> {
                for (index, object) in objects.enumerated() {
                    registry.enter(object, .node, place: &places[index], code: UInt32(index), session: round)
                }
                #expect(Set(places) == Set(1...1000) && registry.count == 1000)
                registry.checkInvariants()
                for place in places.shuffled() { registry.leave(place) }
                places = places.map { _ in 0 }
                registry.checkInvariants()
            }
        }

        @Test func `A forked child of the program goes on with a registry in order`() throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, limit: .none, snapshots: .none)
            func use() {
                registry.checkInvariants()
                let own = Observable(0)
                Trace.track(own)
                own.subscribe { _ in }
                own.value = 1
            }
            // A type that the program uses for the first time is looked up under a lock of the runtime, which no child can take over.
            use()
            let isOver = Locked(false)
            let busy = (0..<2).map { _ in
                Thread {
                    while !isOver.value {
                        let own = Observable(0)
                        own.subscribe { _ in }
                        own.value = 1
                    }
                }
            }
            busy.forEach { $0.start() }
            let fork = try #require(dlsym(nil, "fork"))
            for _ in 0..<20 {
                let child = unsafeBitCast(fork, to: (@convention(c) () -> Int32).self)()
                if child == 0 {
                    // A Dispatch thread blocks signals, and its child would, too.
                    var all = sigset_t()
                    sigfillset(&all)
                    sigprocmask(SIG_UNBLOCK, &all, nil)
                    alarm(300)
                    use()
                    _exit(0)
                }
                var status: Int32 = -1
                waitpid(child, &status, 0)
                #expect(status == 0)
            }
            isOver.change { $0 = true }
            while !busy.allSatisfy(\.isFinished) { usleep(1000) }
            Trace.stop()
        }
    }
}
