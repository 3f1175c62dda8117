import Weir

/// The parts of a post that a cell shows.
final class PostCellModel: Equatable, Sendable {
    let authorName: Observable<String>
    let text: Observable<String>

    init(_ post: Post) {
        authorName = Observable(post.author)
        text = Observable(post.text)
        Trace.adopt(self)
    }

    static func == (one: PostCellModel, other: PostCellModel) -> Bool { one === other }
}
