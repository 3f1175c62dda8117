/// What a marble diagram says, read: one character, or one group, is one column of virtual time.
struct MarbleDiagram: Equatable {
    enum Mark: Equatable {
        case value(Character)
        case completed
        case failed
        case subscribed
        case disposed
    }

    /// Where a diagram stands, which decides what may be in it.
    enum Use { case source, expectation, subscription }

    struct Entry: Equatable {
        let time: Int
        let mark: Mark
    }

    let text: String
    let entries: [Entry]
    /// In columns.
    let length: Int

    init(_ text: String, _ use: Use) throws(MarbleError) {
        self.text = text
        var entries: [Entry] = []
        var (time, isGroup, hasEnded, isDisposed) = (0, false, false, false)
        func fail(_ column: Int, _ problem: String) -> MarbleError {
            MarbleError(diagram: text, column: column, problem: problem)
        }
        for (column, character) in text.enumerated() where character != " " {
            let mark: Mark?
            switch character {
            case "-":
                if isGroup { throw fail(column, "'-' in a group: all of a group happens at one time") }
                mark = nil
            case "(":
                if isGroup { throw fail(column, "'(' in a group: close the first one with ')'") }
                isGroup = true
                mark = nil
            case ")":
                if !isGroup { throw fail(column, "')' without '('") }
                isGroup = false
                mark = nil
            case "|": mark = .completed
            case "#": mark = .failed
            case "^": mark = .subscribed
            case "!": mark = .disposed
            case _ where character.isLetter || character.isNumber: mark = .value(character)
            default:
                throw fail(column, "'\(character)' means nothing here: use - a…z 0…9 | # ( ) ^ !")
            }
            if let mark {
                switch mark {
                case .value where use == .subscription, .completed where use == .subscription,
                    .failed where use == .subscription:
                    throw fail(column, "'\(character)' in a diagram of a subscription, which has '^', '!' and '-' only")
                case .subscribed where use == .source, .disposed where use == .source:
                    throw fail(column, "'\(character)' in a source: it stands where somebody subscribes, in an expectation")
                case .subscribed where !entries.isEmpty:
                    throw fail(column, "'^' after something else: a subscription begins once, before its events")
                case .value where hasEnded, .completed where hasEnded, .failed where hasEnded:
                    throw fail(column, "'\(character)' after the end: nothing comes after '|' and '#'")
                case _ where isDisposed:
                    throw fail(column, "'\(character)' after '!': nothing is heard after the end of the subscription")
                default: break
                }
                hasEnded = hasEnded || mark == .completed || mark == .failed
                isDisposed = mark == .disposed
                entries.append(Entry(time: time, mark: mark))
            }
            if !isGroup { time += 1 }
        }
        if isGroup { throw fail(text.count, "a '(' that is not closed: add ')'") }
        self.entries = entries
        length = time
    }

    func time(of mark: Mark) -> Int? { entries.first { $0.mark == mark }?.time }
}
