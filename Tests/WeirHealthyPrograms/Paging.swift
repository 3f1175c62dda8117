import Weir

// A list of books in pages: the next page is loaded when the user comes near the end, one at a time; a page may fail and be loaded
// again; a pull to refresh starts anew; a footer tells the state. Made of emitters and operators, without async code of its own.

private struct BookPage: Equatable, Sendable {
    let titles: [String]
    /// Nil: it is the last page.
    let next: Int?
}

private enum LibraryError: Error { case offline }

/// The third request fails.
private actor Library {
    private var requests = 0

    func page(_ number: Int) async throws -> BookPage {
        requests += 1
        let isOffline = requests == 3
        try await Task.sleep(for: .milliseconds(6))
        if isOffline { throw LibraryError.offline }
        return BookPage(titles: (1...5).map { "Book \(number * 5 + $0)" }, next: number < 3 ? number + 1 : nil)
    }
}

@MainActor private final class BooksModel {
    enum Footer: Equatable, Sendable { case none, loading, failed, end }

    private enum Answer: Sendable {
        case first(BookPage)
        case more(BookPage)
        case failed
    }

    let titles = Observable<[String]>([])
    let footer = Observable(Footer.none)
    let nearEnd = Emitter<Void>()
    let refresh = Emitter<Void>()
    let retry = Emitter<Void>()
    private let next = Observable<Int?>(nil)
    private let bag = DisposeBag()

    init(_ library: Library) {
        // Only one page at a time, and none after the last one or while the last load has failed.
        let scrolled = nearEnd.filter { [footer] in footer.value == .none }
        let wanted = scrolled.merge(retry).withLatest(from: next.current) { $1 }.compactMap { $0 }.share()
        wanted.subscribe { [footer] _ in footer.value = .loading }.disposed(by: bag)
        let more = wanted.map { (number: $0, isFirst: false) }
        let first = refresh.map { (number: 0, isFirst: true) }
        more.merge(first).flatMap(.latest) { request in
            Signal { try await library.page(request.number) }
                .map { request.isFirst ? Answer.first($0) : .more($0) }
                .catch { _ in .just(.failed) }
        }.deliver(on: .main).subscribe { [weak self] in self?.show($0) }.disposed(by: bag)
    }

    private func show(_ answer: Answer) {
        batch {
            switch answer {
            case .first(let page):
                titles.value = page.titles
                next.value = page.next
                footer.value = page.next == nil ? .end : .none
            case .more(let page):
                titles.modify { $0 += page.titles }
                next.value = page.next
                footer.value = page.next == nil ? .end : .none
            case .failed: footer.value = .failed
            }
        }
    }
}

@MainActor private final class BooksScreen {
    private(set) var cells: [String] = []
    let footer = Label()
    let count = Label()
    let again = Button("Try again")
    private let bag = DisposeBag()
    private let model: BooksModel

    init(_ model: BooksModel) {
        self.model = model
        model.titles.subscribe { [weak self] titles in
            self?.cells = titles
            self?.count.text = "\(titles.count) books"
        }.disposed(by: bag)
        model.footer.subscribe(initial: true) { [weak self] footer in
            self?.again.isHidden = footer != .failed
            switch footer {
            case .none: self?.footer.text = ""
            case .loading: self?.footer.text = "Loading …"
            case .failed: self?.footer.text = "No connection"
            case .end: self?.footer.text = "That is all"
            }
        }.disposed(by: bag)
        again.onTap = { [weak model] in model?.retry.emit() }
    }

    /// The list asks for more when one of the last two cells appears.
    func scroll(to cell: Int) {
        Trace.stimulus("scroll") { if cell >= cells.count - 2 { model.nearEnd.emit() } }
    }

    func pull() { Trace.stimulus("pull to refresh") { model.refresh.emit() } }
}

@MainActor func paging() async {
    let model = BooksModel(Library())
    Trace.adopt(model)
    var screen: BooksScreen? = BooksScreen(model)
    if let screen { Trace.track(screen) }

    screen?.pull()
    await wait(milliseconds: 40)
    await reach(screen?.cells.count == 5)
    for cell in [1, 3, 4, 6, 8] {
        screen?.scroll(to: cell)
        await wait(milliseconds: 30)
    }
    // The third request has failed by now, at the end of the second page.
    await reach(screen?.footer.text == "No connection")
    screen?.scroll(to: 9)
    await wait(milliseconds: 20)
    screen?.again.tap()
    await wait(milliseconds: 40)
    await reach(screen?.cells.count == 15)
    screen?.scroll(to: 14)
    await wait(milliseconds: 40)
    await reach(screen?.footer.text == "That is all")
    screen?.scroll(to: 19)
    await wait(milliseconds: 20)
    screen?.pull()
    await wait(milliseconds: 40)
    await reach(screen?.count.text == "5 books" && screen?.footer.text == "")

    Trace.stimulus("close") {
        if let screen { Trace.expectReleased(screen) }
        screen = nil
    }
    Trace.checkpoint("closed")
}
