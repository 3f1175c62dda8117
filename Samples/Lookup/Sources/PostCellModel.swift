import Weir

/// What a cell shows of a post.
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
