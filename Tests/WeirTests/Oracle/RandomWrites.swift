import Foundation
import Weir
import WeirTrace

/// A random program for the causes of writes: observables that several bindings feed and other code writes, in batches too, and
/// values that wait for a scheduler while newer ones come.
///
/// Bindings lead from earlier nodes to later ones, and handlers write only to the last, so that no loop arises.
private final class RandomWrites: @unchecked Sendable {  // For one thread.
    private var random: SeededGenerator
    private let scheduler = ManualScheduler()
    private let emitters = (0..<3).map { _ in Emitter<Int>() }
    private var observables: [Observable<Int>] = []
    private var disposables: [Disposable] = []
    private var isHandling = false

    init(seed: UInt64) { random = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 17) }

    func run() {
        for _ in 0..<number(3...5) {
            let target = Observable(0)
            for _ in 0..<number(1...2) { disposables.append(source().bind(to: target)) }
            observables.append(target)
        }
        disposables.append(source().subscribe { [unowned self] in handle($0) })
        for _ in 0..<number(10...25) { act() }
        scheduler.advance(by: 1000)
        for disposable in disposables { disposable.dispose() }
    }

    private func source() -> Signal<Int> {
        let origin: Signal<Int> = chance(2) ? pick(observables) ?? pick(emitters)! : pick(emitters)!
        return switch number(0...7) {
        case 0, 1: origin.map { $0 / 2 }
        case 2: origin.deliver(on: scheduler)
        case 3: origin.delay(.nanoseconds(30), on: scheduler)
        case 4: origin.combineLatest(pick(emitters)!) { $0 + $1 }
        case 5: origin.withLatest(from: pick(observables) ?? Observable(1)) { max($0, $1) }
        default: origin
        }
    }

    private func handle(_ value: Int) {
        guard !isHandling, let last = observables.last else { return }
        isHandling = true
        if chance(2) { last.value = value } else { batch { several() } }
        isHandling = false
    }

    private func act() {
        switch number(0...9) {
        case 0, 1, 2: pick(observables)?.value = number(0...3)
        case 3, 4, 5: pick(emitters)?.emit(number(0...3))
        case 6: batch { several() }
        case 7: Trace.stimulus("tap") { several() }
        case 8: if chance(6) { pick(disposables)?.dispose() }
        default: if !isHandling { scheduler.advance(by: UInt64(number(1...40))) }
        }
    }

    private func several() { for _ in 0..<number(1...4) { act() } }

    private func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    private func chance(_ count: Int) -> Bool { number(1...count) == 1 }
    private func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }
}

extension RandomProgram {
    /// Runs the random writes of `seed`.
    init(writesSeed seed: UInt64) throws {
        try self.init(seed: seed, values: .scalars, clock: VirtualClock()) { RandomWrites(seed: seed).run() }
    }
}
