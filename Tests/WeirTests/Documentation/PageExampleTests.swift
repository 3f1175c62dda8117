import Dispatch
import Foundation
import Testing
import Weir
import WeirTesting

/// The code of the pages of `Weir.docc`, as it stands there.
private final class Button {
    var onTouch: (() -> Void)?
    var isEnabled = true
}

private final class Label {
    var text = ""
}

extension Button {
    var touches: Signal<Void> {
        Signal { [weak self] subscriber in
            self?.onTouch = { subscriber.next(()) }
            return Disposable { self?.onTouch = nil }
        }
    }
}

extension Everything {
    @Suite struct PageExampleTests {
        private struct Service: Sendable {
            func find(_ query: String) async throws -> [String] { [query + "1", query + "2"] }
        }

        private final class SearchModel {
            let query = Observable("")
            let results = ObservableArray<String>()
            lazy var hasQuery = query.current.map { !$0.isEmpty }
            lazy var search = Command<String, [String]>(enabledIf: hasQuery) { [service] query in
                try await service.find(query)
            }
            private let bag = DisposeBag()

            init(_ service: Service) {
                self.service = service
                search.values.deliver(on: .main).bind(to: results).disposed(by: bag)
            }

            private let service: Service
        }

        @Test(.timeLimit(.minutes(15))) @MainActor func `The search model of the front page`() async throws {
            let model = SearchModel(Service())
            #expect(!model.search.isEnabled.value)
            model.query.value = "a"
            let arrays = model.results.values
            model.search.execute("a")
            for try await array in arrays {
                #expect(array == ["a1", "a2"])
                break
            }
            while model.search.isExecuting.value { await Task.yield() }
        }

        private final class Cell {
            final class Model {
                let authorName: Observable<String>
                init(_ name: String) { authorName = Observable(name) }
            }

            let viewModel = Observable(Model("Maruko"))
            let label = Label()
            let bag = DisposeBag()
        }

        @Test func `A cell that is bound once follows its replaceable view model`() {
            let cell = Cell()
            cell.viewModel.current.flatMap(.latest) { $0.authorName.current }
                .bind(to: cell.label, \.text).disposed(by: cell.bag)
            #expect(cell.label.text == "Maruko")
            cell.viewModel.value.authorName.value = "Momoko"
            #expect(cell.label.text == "Momoko")
            let former = cell.viewModel.value
            cell.viewModel.value = Cell.Model("Mei")
            former.authorName.value = "Tamae"
            #expect(cell.label.text == "Mei")
        }

        private final class Model {
            let name = Observable("")
            let age = Observable(0)
            let isReady = Observable(false)
            var loads = 0
            lazy var load = Command<Void, Int>(enabledIf: isReady) { [weak self] _ in
                self?.loads += 1
                return .just(1)
            }
        }

        @Test func `A button runs a command, and is enabled when that is`() {
            let model = Model()
            let button = Button()
            let bag = DisposeBag()
            model.load.isEnabled.bind(to: button, \.isEnabled).disposed(by: bag)
            button.touches.subscribe { [weak model] in model?.load.execute() }.disposed(by: bag)
            #expect(!button.isEnabled)
            model.isReady.value = true
            #expect(button.isEnabled)
            button.onTouch?()
            #expect(model.loads == 1)
            bag.dispose()
            #expect(button.onTouch == nil)
        }

        @Test func `Each value and the one before`() {
            let level = Observable(1)
            let steps = level.current.scan((0, 0)) { ($0.1, $1) }.skip(1)
            var heard: [String] = []
            steps.subscribe { heard.append("\($0.0) to \($0.1)") }
            level.value = 2
            level.value = 5
            #expect(heard == ["1 to 2", "2 to 5"])
        }

        private final class Download {
            let progress = Observable(0)
        }

        @Test func `A progress bar that is meant to be refreshed often, and that a trace knows by name`() throws {
            let recording = try record {
                let download = Download()
                let bar = Label()
                let bag = DisposeBag()
                let shown = download.progress.intended(.burst, because: "a progress bar shows every step")
                shown.subscribe(owner: bar) { [weak bar] in bar?.text = "\($0) %" }.disposed(by: bag)
                download.progress.value = 7
                #expect(bar.text == "7 %")
            }
            let reasons = recording.definitions.intentions.values.joined().map { "\($0.rule): \($0.reason)" }
            #expect(reasons == ["burst: a progress bar shows every step"])
            let owners = recording.definitions.subscriptions.values.map { $0.owner }
            #expect(owners.compactMap { $0.flatMap { recording.definitions.objects[$0]?.name } } == ["Label"])
        }

        private struct Offline: Error {}

        @Test func `Again after a time, later, several times`() {
            let scheduler = VirtualScheduler()
            var loads: [UInt64] = []
            let load = Signal<Int> { subscriber in
                loads.append(scheduler.now / 1_000_000_000)
                if loads.count == 1 { subscriber.fail(Offline()) }
                subscriber.next(loads.count)
                subscriber.complete()
                return nil
            }
            let patient = load.catch { _ in Signal.timer(.seconds(2), on: scheduler).flatMap(.concat) { load } }
            let later = Signal.timer(.seconds(1), on: scheduler).flatMap(.concat) { load }
            let thrice = Signal(repeatElement(load, count: 3)).flatten(.concat)
            var heard: [Int] = []
            patient.subscribe { heard.append($0) }
            scheduler.runUntilIdle()
            #expect(heard == [2] && loads == [0, 2])
            later.subscribe { heard.append($0) }
            #expect(loads.count == 2)
            scheduler.runUntilIdle()
            #expect(heard == [2, 3] && loads == [0, 2, 3])
            thrice.subscribe { heard.append($0) }
            #expect(heard == [2, 3, 4, 5, 6])
        }

        @Test func `Made anew for each subscriber`() {
            var made = 0
            func makeRequest() -> Signal<Int> {
                made += 1
                return .just(made)
            }
            let deferred = Signal.just(()).flatMap(.concat) { makeRequest() }
            #expect(made == 0)
            var heard: [Int] = []
            deferred.subscribe { heard.append($0) }
            deferred.subscribe { heard.append($0) }
            #expect(heard == [1, 2])
        }

        @Test func `What is known at the end`() async throws {
            let numbers = Signal([4, 2, 6])
            let all = numbers.buffer(count: .max)
            let last = all.compactMap(\.last)
            let sum = all.map { $0.reduce(0, +) }
            let areAllEven = all.map { $0.allSatisfy { $0 % 2 == 0 } }
            #expect(try await all.first == [4, 2, 6])
            #expect(try await last.first == 6)
            #expect(try await sum.first == 12)
            #expect(try await areAllEven.first == true)
        }

        @Test func `That something of a model changed`() {
            let model = Model()
            let changed = model.name.map { _ in }.merge(model.age.map { _ in })
            var count = 0
            changed.subscribe { count += 1 }
            model.name.value = "Maruko"
            model.age.value = 9
            #expect(count == 2)
        }

        /// The table's short remedies, which it does not write out.
        @Test func `What the table says in a word does what it says`() throws {
            try marbles { m in
                let source = m.hot("-1-2-3-|")
                let other = m.hot("--a--b|", of: String.self)
                m.expect(source.compactMap { _ in nil as String? }.concat(.just("x")), "-------(x|)")
                m.expect(source.filter { _ in false }, "-------|")
                m.expect(source.map { "\($0)" }.takeUntil(other).merge(other), "-1a--b|")
                m.expect(source.takeUntil(Signal.timer(.milliseconds(4), on: m.scheduler)), "-1-2|")
                m.expect(source.skip(1).take(1), "---(2|)")
            }
            struct Other: Error, Equatable { let cause: String }
            var heard: [Event<Int>] = []
            Signal<Int>.failed(Offline()).catch { throw Other(cause: "\($0)") }.subscribeEvents { heard.append($0) }
            Signal<Int>.failed(Offline()).catch { _ in .just(7) }.subscribeEvents { heard.append($0) }
            #expect(heard == [.failed(Other(cause: "Offline()")), .next(7), .completed])
        }
    }
}
