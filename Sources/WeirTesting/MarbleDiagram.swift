/// A parsed marble diagram: one character, or one group, is one column of virtual time.
struct MarbleDiagram: Equatable {
    enum Mark: Equatable {
        case value(Character)
        case completed
        case failed
        case subscribed
        case disposed
    }

    /// How a diagram is used, which decides what it may contain.
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
        var entries: [Entry] = []
        var (time, isGroup) = (0, false)
        for (column, character) in text.enumerated() where character != " " {
            var problem: String?
            switch character {
            case "-": if isGroup { problem = "'-' in a group: all of a group happens at one time" }
            case "(":
                if isGroup { problem = "'(' in a group: close the first one with ')'" }
                isGroup = true
            case ")":
                if !isGroup { problem = "')' without '('" }
                isGroup = false
            default:
                if let mark = Mark(character) {
                    problem = Self.problem(mark, use, after: entries.map(\.mark)).map { "'\(character)' \($0)" }
                    entries.append(Entry(time: time, mark: mark))
                } else {
                    problem = "'\(character)' means nothing here: use - a…z 0…9 | # ( ) ^ !"
                }
            }
            if let problem { throw MarbleError(diagram: text, column: column, problem: problem) }
            if !isGroup { time += 1 }
        }
        if isGroup {
            throw MarbleError(diagram: text, column: text.count, problem: "a '(' that is not closed: add ')'")
        }
        self.text = text
        self.entries = entries
        length = time
    }

    /// Why `mark` is not allowed after `marks`.
    private static func problem(_ mark: Mark, _ use: Use, after marks: [Mark]) -> String? {
        let isEvent = mark != .subscribed && mark != .disposed
        if use == .source, !isEvent { return "in a source: it stands where somebody subscribes, in an expectation" }
        if use == .subscription, isEvent { return "in a diagram of a subscription, which has '^', '!' and '-' only" }
        if mark == .subscribed, !marks.isEmpty { return "after something else: a subscription begins first" }
        if marks.contains(.disposed) { return "after '!': nothing is heard after the end of the subscription" }
        let hasEnded = marks.contains(.completed) || marks.contains(.failed)
        return isEvent && hasEnded ? "after the end: nothing comes after '|' and '#'" : nil
    }

    func time(of mark: Mark) -> Int? { entries.first { $0.mark == mark }?.time }
}

extension MarbleDiagram.Mark {
    /// Nil if the character represents no mark.
    init?(_ character: Character) {
        switch character {
        case "|": self = .completed
        case "#": self = .failed
        case "^": self = .subscribed
        case "!": self = .disposed
        default:
            guard character.isLetter || character.isNumber else { return nil }
            self = .value(character)
        }
    }
}

/// A value that a single character of a marble diagram represents without a dictionary.
public protocol MarbleValue: Equatable, SendableMetatype {
    /// The value that `marble` represents, if any.
    init?(marble: Character)
}

extension Int: MarbleValue {
    /// A digit represents itself.
    public init?(marble: Character) {
        guard let digit = marble.isASCII ? marble.wholeNumberValue : nil else { return nil }
        self = digit
    }
}

extension String: MarbleValue {
    /// Every letter and digit represents itself.
    public init?(marble: Character) { self = String(marble) }
}

extension Bool: MarbleValue {
    /// `t` or `f`.
    public init?(marble: Character) {
        guard marble == "t" || marble == "f" else { return nil }
        self = marble == "t"
    }
}

/// A marble diagram that cannot be parsed, or that uses a character without a value.
struct MarbleError: Error, CustomStringConvertible {
    let diagram: String
    /// Counted from 0, in characters of the original diagram.
    let column: Int
    let problem: String

    var description: String {
        "a diagram that cannot be read, at column \(column): \(problem)\n    \(diagram)\n    "
            + String(repeating: " ", count: column) + "^"
    }
}
