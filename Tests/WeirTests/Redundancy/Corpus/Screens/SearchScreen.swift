import Weir

/// A search field, its results and their number.
enum SearchScreen {
    private final class SearchModel {
        let query = Observable("")
        let library: Signal<[String]>
        let canClear: Signal<Bool>
        let results: Signal<[String]>

        init(_ library: Signal<[String]>) {
            self.library = library
            canClear = query.map { !$0.isEmpty }
            results = query.flatMap(.latest) { query in library.map { $0.filter { $0.contains(query) } } }
        }
    }

    private final class CuredSearchModel {
        let query = Observable("")
        let library: Signal<[String]>
        let canClear: Combiner<Bool>
        let results: Signal<[String]>

        init(_ library: Signal<[String]>) {
            self.library = library
            canClear = Observable.combine(query) { !$0.isEmpty }
            results = query.flatMap(.latest) { query in library.map { $0.filter { $0.contains(query) } } }.share()
        }
    }

    private static func library(_ scene: Scene) -> Signal<[String]> {
        Signal<[String]> { [time = scene.time] subscriber in
            try? time.schedule(after: .milliseconds(100)) {
                subscriber.next(["tea", "toast", "milk"])
                subscriber.complete()
            }
        }
    }

    static var all: [Program] {
        [
            Program(
                "A search that is made for the list and again for the number of results",
                finds: [
                    .init(.resubscribedSource, "SearchModel.library", count: 2),
                    .init(.resubscribedSource, "SearchModel.results", count: 1),
                    .init(.repeatedValue, "SearchModel.canClear", count: 1),
                    .init(.noopEvaluation, "SearchModel.canClear", count: 1),
                ], redundant: 1, of: 6
            ) { scene in
                let model = scene.adopt(SearchModel(library(scene)))
                model.canClear.subscribe { _ in }.disposed(by: scene.bag)
                model.results.subscribe { _ in }.disposed(by: scene.bag)
                model.results.map { $0.count }.subscribe { _ in }.disposed(by: scene.bag)
                for text in ["t", "te"] {
                    scene.act("type \(text)") { model.query.value = text }
                    scene.time.advance(by: .milliseconds(100))
                    scene.draw()
                }
            },
            Program(
                "The same search, shared", finds: [.init(.noopEvaluation, "CuredSearchModel.canClear", count: 1)],
                redundant: 0, of: 5
            ) { scene in
                let model = scene.adopt(CuredSearchModel(library(scene)))
                model.canClear.subscribe { _ in }
                model.results.subscribe { _ in }.disposed(by: scene.bag)
                model.results.map { $0.count }.subscribe { _ in }.disposed(by: scene.bag)
                for text in ["t", "te"] {
                    scene.act("type \(text)") { model.query.value = text }
                    scene.time.advance(by: .milliseconds(100))
                    scene.draw()
                }
            },
        ]
    }
}
