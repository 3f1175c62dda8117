import Dispatch
import Weir

/// The look-up's screen without a screen: it can be typed into, tapped and scrolled, and it says what it shows.
@MainActor final class LookupView {
    /// How the table is reloaded once when posts and `allPostsLoaded` change together.
    enum Reloading: CaseIterable {
        /// Changes of either are merged and buffered until the scheduler runs.
        case buffered
        /// The model changes both in a `batch` and combines them once it has settled: no evaluation is redundant.
        case settled
    }

    private(set) var goButtonIsEnabled = false
    private(set) var goButtonAlpha = 0.0
    private(set) var nameLabel = ""
    private(set) var avatar = ""
    private(set) var alert: String?
    /// How often the table was reloaded.
    private(set) var reloads = 0
    private(set) var table = PostTable()
    private(set) var cells: [PostCell] = []

    private var model: LookupModel?
    let usernameEdited = Emitter<String>()
    let goButtonTouched = Emitter<Void>()
    let loadingCellAppeared = Emitter<Void>()
    private let bag = DisposeBag()

    init() {}

    /// Shows the model's values, forwards the user's actions to the model, and holds it.
    func bind(to model: LookupModel, reloading: Reloading = .buffered, on scheduler: some Scheduler = .main) {
        self.model = model
        usernameEdited.bind(to: model.username).disposed(by: bag)
        let isValid = model.usernameValid.current
        isValid.bind(to: self, \.goButtonIsEnabled).disposed(by: bag)
        isValid.map { $0 ? 1 : 0.5 }.bind(to: self, \.goButtonAlpha).disposed(by: bag)
        model.fullName.bind(to: self, \.nameLabel).disposed(by: bag)
        model.avatar.bind(to: self, \.avatar).disposed(by: bag)
        model.fetch.errors.merge(model.loadMore.errors).map { "\($0)" }.bind(to: self, \.alert).disposed(by: bag)

        switch reloading {
        case .buffered:
            model.posts.map { _ in }.merge(model.allPostsLoaded.map { _ in })
                .buffer(time: .seconds(0), on: scheduler)
                .subscribe { [weak self] _ in
                    guard let self, let model = self.model else { return }
                    reload(PostTable(posts: model.posts.value, hasLoadingCell: !model.allPostsLoaded.value))
                }.disposed(by: bag)
        case .settled:
            model.table.subscribe { [weak self] in self?.reload($0) }.disposed(by: bag)
        }

        goButtonTouched.subscribe { [fetch = model.fetch] in fetch.execute() }.disposed(by: bag)
        loadingCellAppeared.subscribe { [loadMore = model.loadMore] in loadMore.execute() }.disposed(by: bag)
    }

    private func reload(_ table: PostTable) {
        self.table = table
        reloads += 1
        while cells.count < table.posts.count { cells.append(PostCell()) }
        for (cell, post) in zip(cells, table.posts) { cell.model.value = post }
    }

    // MARK: The user

    func type(username: String) {
        Trace.stimulus("type user name '\(username)'") { usernameEdited.emit(username) }
        Trace.frame()
    }

    /// Nothing happens while the button is disabled.
    func tapGo() {
        Trace.stimulus("tap Go") { if goButtonIsEnabled { goButtonTouched.emit() } }
        Trace.frame()
    }

    /// The user scrolls to the end of the table, where the loading cell appears if there is one.
    func scrollToEnd() {
        Trace.stimulus("scroll to the end") { if table.hasLoadingCell { loadingCellAppeared.emit() } }
        Trace.frame()
    }

    func closeAlert() {
        Trace.stimulus("close alert") { alert = nil }
        Trace.frame()
    }

    /// The visible state, in lines.
    var shown: [String] {
        ["\(nameLabel) (\(avatar)) [\(goButtonIsEnabled ? "Go" : "go") \(goButtonAlpha)]"]
            + (alert.map { ["<\($0)>"] } ?? [])
            + cells.prefix(table.posts.count).map { "  \($0.authorName): \($0.text)" }
            + (table.hasLoadingCell ? ["  loading …"] : [])
    }
}
