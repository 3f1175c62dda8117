import Weir

/// A cell of the table. It is bound once, through its view model: when that is replaced, all its parts follow.
@MainActor final class PostCell {
    let model = Observable<PostCellModel?>(nil)
    private(set) var authorName = ""
    private(set) var text = ""
    private let bag = DisposeBag()

    init() {
        show(\.authorName, in: \.authorName)
        show(\.text, in: \.text)
        Trace.adopt(self)
    }

    /// Shows the current view model.
    private func show(
        _ part: KeyPath<PostCellModel, Observable<String>> & Sendable,
        in label: ReferenceWritableKeyPath<PostCell, String>,
        line: UInt = #line
    ) {
        model.flatMap(.latest, line: line) { $0?[keyPath: part].current ?? .just("") }
            .bind(to: self, label, line: line).disposed(by: bag)
    }
}
