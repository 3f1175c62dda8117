import Foundation
import Testing
import Weir
import WeirTesting

/// The code on the pages of `Weir.docc`, verbatim.
@MainActor private final class Button {
    var onTouch: (() -> Void)?
    var isEnabled = true
}

@MainActor private final class Label {
    var text = ""
}

extension Button {
    var touches: Signal<Void> {
        Signal { [weak self] subscriber in
            MainActor.assumeIsolated { self?.onTouch = { subscriber.next(()) } }
            return Disposable { @MainActor [weak self] in self?.onTouch = nil }
        }
    }
}

extension Everything {
    @MainActor @Suite struct PageExampleTests {
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

        @MainActor private final class Cell {
            final class Model: Sendable {
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

        @MainActor private final class Model {
            let name = Observable("")
            let isReady = Observable(false)
            var loads = 0
            lazy var load = Command<Void, Int>(enabledIf: isReady) { @MainActor [weak self] _ in
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
    }
}
