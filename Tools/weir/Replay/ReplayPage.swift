/// A text shown instead of the state, one part at a time.
struct ReplayPage {
    let lines: [String]
    private var first = 0

    init(lines: [String]) { self.lines = lines }

    /// The first visible line for this number of rows; the last line never scrolls above the last row.
    func top(rows: Int) -> Int { min(first, max(0, lines.count - rows)) }

    /// The page after a key; nil to leave it.
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
