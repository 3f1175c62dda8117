import Foundation
import Testing
import Weir
import WeirTrace

@testable import WeirAnalysis

extension Everything {
    /// A user's questions about small programs, and the answers that follow from the programs' source.
    @Suite struct AnswerTests {
        private let file: TemporaryTrace

        init() throws { file = try TemporaryTrace() }

        private func timeline(_ program: () throws -> Void) throws -> Timeline {
            try Trace.start(writingTo: file.path, clock: VirtualClock(), snapshots: .none)
            let result = Result { try program() }
            Trace.stop()
            try result.get()
            return try Timeline(TraceReader(path: file.path))
        }

        private func node(_ label: String, _ timeline: Timeline) throws -> UInt32 {
            try #require(timeline.definitions.nodes.values.first { $0.label == label || $0.kind?.name == label }?.id)
        }

        private func stops(_ outcome: WhyNot.Outcome) throws -> [WhyNot.Stop] {
            guard case .stopped(let stops) = outcome else {
                Issue.record("\(outcome)")
                return []
            }
            return stops
        }

        private final class Cart: @unchecked Sendable {  // For one thread.
            let search = Observable("")
            let price = Observable(10.0)
            let quantity = Observable(11)
            let badge = Observable(0)
            let results = Observable(0)
            let notice = Observable("")
            lazy var total = Observable.combine(quantity, price) { Double($0) * $1 }
        }

        @Test func `an input that the same batch wrote is no bystander, though its value goes out later`() throws {
            let timeline = try timeline {
                let cart = Cart()
                _ = cart.total
                Trace.adopt(cart)
                batch {
                    cart.quantity.value = 12
                    cart.price.value = 20
                }
            }
            let total = try #require(timeline.definitions.nodes.values.first { $0.kind == .combiner }?.id)
            timeline.forward { !($0.kind == .emitted && $0.subject == total && $0.value == .double(240)) }
            let step = try #require(timeline.state.lastEvent.flatMap(timeline.causeStep))
            #expect(step.inputs.map(\.role) == [.triggered, .written])
            let write = try #require(step.inputs[1].emission.flatMap(timeline.causeStep))
            #expect(write.event.suppressionReason == .batched)
            #expect(write.event.subject == (try node("Cart.price", timeline)))
        }

        @Test func `a value that a debounce let go of for a newer one is reported as that`() throws {
            let timeline = try timeline {
                let (cart, clock) = (Cart(), ManualScheduler())
                Trace.adopt(cart)
                let subscription = cart.search.debounce(.milliseconds(300), on: clock).map(\.count)
                    .subscribe { cart.results.value = $0 }
                Trace.stimulus("search tea") { cart.search.value = "tea" }
                Trace.stimulus("search teapot") { cart.search.value = "teapot" }
                clock.advance(by: 1_000_000_000)
                subscription.dispose()
            }
            let found = try timeline.whyNot([node("Cart.results", timeline)], after: .stimulus(.text("search tea")))
            #expect(found.stimulusNumber == 1, "the stimulus of exactly this text")
            let stops = try stops(found.outcome)
            #expect(stops.map(\.node) == [try node("debounce", timeline)])
            guard case .suppressed(let step)? = stops.first?.reason else { return #expect(Bool(false), "\(stops)") }
            #expect(step.event.suppressionReason == .superseded)
            let later = try timeline.whyNot([node("Cart.results", timeline)], after: .stimulus(.text("teapot")))
            guard case .changed = later.outcome else { return #expect(Bool(false), "\(later.outcome)") }
        }

        @Test func `a subscription that was disposed long ago is reported, whatever the stimulus was`() throws {
            let timeline = try timeline {
                let cart = Cart()
                Trace.adopt(cart)
                let subscription = cart.quantity.subscribe { cart.badge.value = $0 }
                Trace.stimulus("add") { cart.quantity.value = 12 }
                subscription.dispose()
                Trace.stimulus("rename") { cart.search.value = "tea" }
            }
            let found = try timeline.whyNot([node("Cart.badge", timeline)])
            let stops = try stops(found.outcome)
            guard case .subscriptionEnded(let step?, let id)? = stops.first?.reason else {
                return #expect(Bool(false), "\(stops)")
            }
            #expect(stops.count == 1 && step.event.endReason == .disposed)
            #expect(timeline.definitions.subscriptions[id]?.source == (try node("Cart.quantity", timeline)))
        }

        @Test func `a subscription that came and went before the value did is reported as ended`() throws {
            let timeline = try timeline {
                let (cart, scanner) = (Cart(), Emitter<String>())
                Trace.adopt(cart)
                Trace.stimulus("scan") {
                    scanner.bind(to: cart.notice).dispose()
                    scanner.emit("tea")
                }
            }
            let stops = try stops(timeline.whyNot([node("Cart.notice", timeline)]).outcome)
            guard case .subscriptionEnded(let step?, _)? = stops.first?.reason else {
                return #expect(Bool(false), "\(stops)")
            }
            #expect(stops.count == 1 && step.event.endReason == .disposed)
        }

        @Test func `a subscription to a delay is too late for what is on its way to an earlier one`() throws {
            let timeline = try timeline {
                let (cart, clock) = (Cart(), ManualScheduler())
                Trace.adopt(cart)
                let delayed = cart.search.delay(.milliseconds(300), on: clock)
                var subscriptions = [delayed.subscribe { _ in }]
                Trace.stimulus("search") { cart.search.value = "tea" }
                subscriptions.append(delayed.bind(to: cart.notice))
                clock.advance(by: 1_000_000_000)
                subscriptions.forEach { $0.dispose() }
            }
            let stops = try stops(timeline.whyNot([node("Cart.notice", timeline)], after: .last).outcome)
            guard case .notYetSubscribed(let start?, let id)? = stops.first?.reason else {
                return #expect(Bool(false), "\(stops)")
            }
            #expect(stops.count == 1)
            #expect(timeline.definitions.subscriptions[id]?.source == (try node("delay", timeline)))
            #expect(timeline.causeStep(of: start)?.event.kind == .subscriptionStarted)
        }

        @Test func `a value that another thread's newer one overtook passed over who had just subscribed`()
            throws
        {
            let timeline = try timeline {
                let cart = Cart()
                Trace.adopt(cart)
                let quantity = cart.quantity
                quantity.subscribe { value in
                    guard value == 12 else { return }
                    let done = DispatchSemaphore(value: 0)
                    let thread = Thread {
                        quantity.value = 13
                        done.signal()
                    }
                    thread.start()
                    done.wait()
                }
                Trace.stimulus("add") {
                    quantity.subscribe { cart.results.value = $0 }
                    quantity.value = 12
                }
            }
            let stops = try stops(timeline.whyNot([node("Cart.results", timeline)]).outcome)
            guard case .notDelivered(let id)? = stops.first?.reason else { return #expect(Bool(false), "\(stops)") }
            #expect(stops.count == 1)
            #expect(timeline.definitions.subscriptions[id]?.source == (try node("Cart.quantity", timeline)))
        }

        @Test func `of very many stops the nearest are reported, and the rest counted`() throws {
            let timeline = try timeline {
                let root = Emitter<Int>()
                let filters = (0..<130).map { _ in root.filter { $0 > 5 } }
                let merged = Signal<Int>.merge(filters)
                let subscription = merged.subscribe { _ in }
                Trace.stimulus("low") { root.emit(1) }
                subscription.dispose()
            }
            let found = try timeline.whyNot([node("merge", timeline)])
            #expect(try stops(found.outcome).count == 100)
            #expect(found.omittedStops == 30)
        }

        @Test func `a combiner's function that took another branch is reported`() throws {
            let timeline = try timeline {
                let cart = Cart()
                let isCheap = Observable.combine(cart.price, cart.quantity) { price, quantity in
                    if price > 100 { cart.notice.value = "dear" }
                    return price < 50
                }
                Trace.adopt(cart)
                Trace.stimulus("cheap") { cart.price.value = 20 }
                Trace.stimulus("dear") { cart.price.value = 120 }
                withExtendedLifetime(isCheap) {}
            }
            let found = try timeline.whyNot([node("Cart.notice", timeline)], after: .stimulus(.number(1)))
            let stops = try stops(found.outcome)
            guard case .handlerDidNotWrite(_, let id)? = stops.first?.reason else {
                return #expect(Bool(false), "\(stops)")
            }
            #expect(timeline.definitions.subscriptions[id]?.isInternal == true)
        }
    }
}
