import Weir

/// Looks a user up by name, and loads the user's posts page by page.
///
/// Shows what a view can bind to: properties that it may write (`username`) or only read, and commands that are disabled while
/// they have nothing to do. Posts and `allPostsLoaded` change together: `LookupView.Reloading` shows how a table reloads once for
/// both.
@MainActor final class LookupModel {
    let username = Observable("")
    let usernameValid: Combiner<Bool>

    let fullName = Observable("")
    let avatar = Observable("")
    let posts = ObservableArray<PostCellModel>()
    /// True also while no user is shown.
    let allPostsLoaded = Observable(true)
    /// Both values, once per turn.
    let table: Combiner<PostTable>

    /// Looks up `username` and shows that user with the first page of posts.
    let fetch: Command<Void, Profile>
    /// Loads the next page; disabled during a load and when there are no more pages.
    let loadMore: Command<Void, Page>
    private let canLoadMore: Combiner<Bool>
    /// The user shown, who may differ from the one in the text field.
    private let shownUser = Observable("")
    private let bag = DisposeBag()

    /// - Parameter scheduler: the scheduler on which the view receives answers.
    init(server: LookupServer, deliveringOn scheduler: some Scheduler = .main) {
        usernameValid = Observable.combine(username) { name in
            (1...15).contains(name.count) && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        }
        table = Observable.combine(posts, allPostsLoaded, strategy: .settled) {
            PostTable(posts: $0, hasLoadingCell: !$1)
        }
        fetch = Command(enabledIf: usernameValid) { [username] in
            let name = username.value
            return server.user(named: name).zip(server.posts(of: name, after: 0)) {
                Profile(username: name, user: $0, firstPage: $1)
            }.deliver(on: scheduler)
        }
        canLoadMore = Observable.combine(allPostsLoaded, fetch.isExecuting) { !$0 && !$1 }
        loadMore = Command(enabledIf: canLoadMore) { [posts, fetch, shownUser] in
            server.posts(of: shownUser.value, after: posts.value.count)
                .deliver(on: scheduler).takeUntil(fetch.executions)
        }

        fetch.values.subscribe { [weak self] in self?.show($0) }.disposed(by: bag)
        loadMore.values.subscribe { [weak self] in self?.append($0) }.disposed(by: bag)
    }

    private func show(_ profile: Profile) {
        shownUser.value = profile.username
        fullName.value = profile.user.fullName
        avatar.value = profile.user.avatar
        batch {
            posts.removeAll()
            append(profile.firstPage)
        }
    }

    private func append(_ page: Page) {
        batch {
            posts.append(contentsOf: page.posts.map(PostCellModel.init))
            allPostsLoaded.value = page.isLast
        }
    }
}

/// The result of a look-up.
struct Profile: Sendable {
    var username: String
    var user: User
    var firstPage: Page
}

/// The contents of the table.
struct PostTable: Equatable, Sendable {
    var posts: [PostCellModel] = []
    /// The last cell loads more posts when it appears.
    var hasLoadingCell = false
}
