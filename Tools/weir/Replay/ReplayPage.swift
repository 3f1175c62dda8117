/// Text that is shown instead of the state, a part of it at a time.
struct ReplayPage {
    let lines: [String]
    private var first = 0

    init(lines: [String]) { self.lines = lines }

    /// The first line that is shown where there are so many rows: the last of them is never above the last row.
    func top(rows: Int) -> Int { min(first, max(0, lines.count - rows)) }

    /// What is shown after a key; nil: the page is left.
    func scrolled(by key: TerminalKey, rows: Int) -> ReplayPage? {
        let way: Int
        switch key {
        case .down, .character("j"): way = 1
        case .up, .character("k"): way = -1
        case .pageDown: way = max(1, rows - 1)
        case .pageUp: way = -max(1, rows - 1)
        default: return nil
        }
        var page = self
        page.first = max(0, top(rows: rows) + way)
        page.first = page.top(rows: rows)
        return page
    }
}
