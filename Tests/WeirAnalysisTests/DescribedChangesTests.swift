import Testing

@testable import WeirReport
@testable import WeirTrace

struct DescribedChangesTests {
    private struct User { var name: String; var tags: [String]; var parent: Int? }
    private struct App { var user: User; var items: [Int]; var isLoading: Bool; var size: (Int, y: Int) }

    private let start = App(
        user: User(name: "Ma, \"(ru", tags: ["a", "b"], parent: nil), items: [1], isLoading: false, size: (1, 2))

    private func changes(_ change: (inout App) -> Void) -> [String]? {
        var after = start
        change(&after)
        return texts(.described(String(describing: start)), .described(String(describing: after)))
    }

    private func texts(_ before: TraceValue, _ after: TraceValue) -> [String]? {
        DescribedChanges(from: before, to: after)?.changes.map {
            "\($0.path): \($0.before ?? "-") → \($0.after ?? "-")"
        }
    }

    @Test func `The fields that differ are found by their paths`() {
        #expect(changes { $0.isLoading = true } == ["isLoading: false → true"])
        #expect(changes { $0.user.name = "Mo" } == [#"user.name: "Ma, \"(ru" → "Mo""#])
        #expect(changes { $0.user.tags[1] = "c" } == [#"user.tags[1]: "b" → "c""#])
        #expect(changes { $0.user.parent = 3 } == ["user.parent: nil → Optional(3)"])
        #expect(changes { $0.items.append(2) } == ["items[1]: - → 2"])
        #expect(changes { $0.size.y = 3 } == ["size.y: 2 → 3"])
        #expect(
            changes {
                $0.items = []; $0.isLoading = true
            } == ["items[0]: 1 → -", "isLoading: false → true"])
        #expect(changes { _ in } == nil)
    }

    @Test func `A fingerprint says only that its field changed`() {
        let definitions = TraceDefinitions()
        let phrases = EventPhrases(definitions, style: .plain)
        func changes(_ before: TraceValue, _ after: TraceValue) -> String? { phrases.changes(from: before, to: after) }
        #expect(
            changes(.described("App(count: 1, name: #0123abcd, …)"), .described("App(count: 2, name: #0123abce, …)"))
                == "count 1 → 2, name changed")
        #expect(
            changes(.described("App(name: nil)"), .described("App(name: #0123abce)")) == "name nil → #0123abce")
        func hashed(_ text: String, _ number: UInt64) -> TraceValue {
            .hashedDescription(text, isCut: false, fingerprint: number)
        }
        #expect(changes(hashed("App(a: 1, …)", 1), hashed("App(a: 1, …)", 2)) == "none of the recorded fields changed")
        #expect(changes(hashed("App(a: 1, …)", 1), hashed("App(a: 1, …)", 1)) == nil)
        #expect(
            changes(.described("App(a: 1, …)"), .described("App(a: 1, …)")) == "none of the recorded fields changed")
        #expect(changes(.described("App(a: 1)"), .described("App(a: 1)")) == nil)
    }

    @Test func `A cut description tells the fields that it holds`() {
        func cut(_ text: String) -> TraceValue { .hashedDescription(text, isCut: true, fingerprint: 1) }
        #expect(texts(cut("App(count: 1, name: \"Mar"), cut("App(count: 2, name: \"Mar")) == ["count: 1 → 2"])
        #expect(texts(cut("App(count: 1, name: \"Mar"), cut("App(count: 1, name: \"Mom")) == nil)
        #expect(texts(cut("App(count: 1, na"), .described("App(count: 3, name: 4)")) == ["count: 1 → 3"])
    }

    @Test(arguments: [
        ("App(a: 1)", "Other(a: 1)"), ("1", "2"), ("App(a: 1) and more", "App(a: 2) and more"), ("", "()"),
        ("((((", "(((("),
        ("idle", "loaded(3)"), ("App(\"", "App(\"\\"), ("[", "]"),
    ])
    func `Other texts have no fields`(_ before: String, _ after: String) {
        #expect(texts(.described(before), .described(after)) == nil)
        #expect(texts(.signed(1), .described(after)) == nil)
    }

    @Test func `A deeply nested text costs little`() {
        let deep = String(repeating: "A(a: ", count: 2000)
        #expect(texts(.described(deep + "1"), .described(deep + "2")) == nil)
        let closed = { (value: Int) in TraceValue.described(deep + "\(value)" + String(repeating: ")", count: 2000)) }
        #expect(texts(closed(1), closed(2))?.count == 1)
    }
}
