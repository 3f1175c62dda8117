import Weir

// A list whose rows observe a shared selection; rows come later, too.

@MainActor final class ListModel {
    let items = Observable<[Int]>([])
    let selected = Observable<Int?>(nil)
}

@MainActor final class Row {
    let id: Int
    var isOn = false
    let bag = DisposeBag()
    init(_ id: Int, _ model: ListModel) {
        self.id = id
        model.selected.subscribe { [weak self] in self?.isOn = $0 == id }.disposed(by: bag)
    }
}

@MainActor func list() {
    let model = ListModel()
    Trace.adopt(model)
    var rows: [Row] = []
    let bag = DisposeBag()
    model.items.subscribe { [weak model] ids in
        guard let model else { return }
        for id in ids where !rows.contains(where: { $0.id == id }) { rows.append(Row(id, model)) }
    }.disposed(by: bag)
    Trace.stimulus("load") { model.items.value = [1, 2, 3] }
    Trace.stimulus("select 2") { model.selected.value = 2 }
    Trace.stimulus("add") { model.items.value.append(4) }
    Trace.stimulus("select 4") { model.selected.value = 4 }
    Trace.checkpoint("done")
}

// Paging.

@MainActor final class Paging {
    let pages = Observable<[[String]]>([])
    let isLoading = Observable(false)
    let loadMore = Emitter<Int>()
    let bag = DisposeBag()
    lazy var rows = pages.map { $0.flatMap { $0 } }
    init() {
        loadMore.flatMap(.concat) { page in
            Signal<[String]> { s in
                let t = Task {
                    try? await Task.sleep(for: .milliseconds(5))
                    s.next((0..<3).map { "row \(page).\($0)" })
                    s.complete()
                }
                return Disposable { t.cancel() }
            }
        }.subscribe { [pages, isLoading] new in
            batch {
                pages.value.append(new)
                isLoading.value = false
            }
        }.disposed(by: bag)
        loadMore.subscribe { [isLoading] _ in isLoading.value = true }.disposed(by: bag)
    }
}

@MainActor func paging() async {
    let m = Paging()
    Trace.adopt(m)
    m.rows.subscribe { _ in }.disposed(by: m.bag)
    m.isLoading.subscribe { _ in }.disposed(by: m.bag)
    for p in 1...3 {
        Trace.stimulus("scroll to \(p)") { m.loadMore.emit(p) }
        try? await Task.sleep(for: .milliseconds(30))
    }
}

// Search with debounce.

@MainActor final class Search {
    let query = Observable("")
    let results = Observable<[String]>([])
    let bag = DisposeBag()
    init() {
        query.debounce(.milliseconds(20), on: .main).removeDuplicates().flatMap(.latest) { q in
            Signal<[String]> { s in
                let t = Task {
                    try? await Task.sleep(for: .milliseconds(5))
                    s.next(["\(q)!"])
                    s.complete()
                }
                return Disposable { t.cancel() }
            }
        }.bind(to: results).disposed(by: bag)
    }
}

@MainActor func search() async {
    let m = Search()
    Trace.adopt(m)
    m.results.subscribe { _ in }.disposed(by: m.bag)
    for t in ["t", "te", "tea"] {
        Trace.stimulus("type \(t)") { m.query.value = t }
        try? await Task.sleep(for: .milliseconds(4))
    }
    try? await Task.sleep(for: .milliseconds(80))
    Trace.stimulus("type cake") { m.query.value = "cake" }
    try? await Task.sleep(for: .milliseconds(80))
}
