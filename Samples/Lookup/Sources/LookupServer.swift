import Dispatch
import Weir

/// A user, as the server sends it.
struct User: Equatable, Sendable {
    var fullName: String
    var avatar: String
}

/// A post, as the server sends it.
struct Post: Equatable, Sendable {
    var author: String
    var text: String
}

/// Some posts of a user, newest first, and whether they are the last.
struct Page: Equatable, Sendable {
    var posts: [Post]
    var isLast: Bool
}

/// A simulated server: it answers after a delay, and sends posts in pages.
final class LookupServer: Sendable {
    static let postsPerPage = 2

    /// The path of each request that has reached the server.
    let requested = Emitter<String>()
    private let network: any Scheduler
    private let latency: DispatchTimeInterval
    private let users: [String: (user: User, posts: [String])]

    /// - Parameter network: the scheduler that delivers answers.
    init(
        on network: any Scheduler, latency: DispatchTimeInterval = .milliseconds(20),
        users: [String: (user: User, posts: [String])] = LookupServer.users
    ) {
        self.network = network
        self.latency = latency
        self.users = users
    }

    func user(named name: String) -> Signal<User> {
        answer("/\(name)") { [users] in
            guard let found = users[name] else { throw LookupError.noSuchUser(name) }
            return found.user
        }
    }

    /// The posts of a user after the first `count`.
    func posts(of name: String, after count: Int) -> Signal<Page> {
        answer("/\(name)/posts?after=\(count)") { [users] in
            guard let found = users[name] else { throw LookupError.noSuchUser(name) }
            let rest = found.posts.dropFirst(count)
            return Page(
                posts: rest.prefix(Self.postsPerPage).map { Post(author: found.user.fullName, text: $0) },
                isLast: rest.count <= Self.postsPerPage)
        }
    }

    private func answer<A: Sendable>(_ path: String, _ make: @escaping @Sendable () throws -> A) -> Signal<A> {
        let request = Signal<Void> { [requested] subscriber in
            requested.emit(path)
            subscriber.next(())
            subscriber.complete()
            return nil
        }
        return request.delay(latency, on: network).map(make)
    }

    static let users = [
        "maruko": (
            user: User(fullName: "Momoko Sakura", avatar: "maruko.png"),
            posts: ["Summer!", "No homework", "Grandpa is the best", "Late again", "First day of school"]
        ),
        "tama": (user: User(fullName: "Tamae Honami", avatar: "tama.png"), posts: ["Smile, please"]),
    ]
}

enum LookupError: Error, Equatable, CustomStringConvertible, TraceValueConvertible {
    case noSuchUser(String)

    var description: String {
        switch self {
        case .noSuchUser(let name): "there is no user '\(name)'"
        }
    }
    var traceDescription: String { description }
}
