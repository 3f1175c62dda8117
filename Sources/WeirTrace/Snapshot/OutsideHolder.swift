/// What holds an object of a snapshot from outside the walked objects.
public enum OutsideHolder: Sendable, Hashable {
    /// A static or global variable, by its name: "static Session.shared", "global session".
    case variable(String)
    /// Presumably a task: it, then the task that it waits for, and so on; empty if the work of the first is unknown.
    ///
    /// If a child task holds the object, the first is the outermost of its parents.
    case task([TaskWork])
    /// Presumably the result of a task that has ended.
    case taskResult
    /// Presumably the closure at a line, which a timer or a queue keeps.
    case closure(TraceSite)

    /// Whether the holder is presumably a task or a closure, and not a variable.
    public var isGuess: Bool { if case .variable = self { false } else { true } }
}

/// The work of a task that waits.
public struct TaskWork: Sendable, Hashable {
    /// What the function of the program waits for.
    public enum Wait: UInt8, Sendable {
        /// A library; in old traces also an element of a sequence.
        case library = 0
        /// A continuation that it made itself; cancelling the task does not resume it.
        case continuation = 1
        /// Unknown: the compiler may have inlined what waits; in old traces also a group of tasks.
        case unknown = 2
        /// Another task.
        case task = 3
        /// The next element of a sequence: the function loops over the elements.
        case element = 4
        /// A child task of its group.
        case group = 5
        /// Its child task of an `async let`.
        case asyncLet = 6

        /// Whether it is a child task, which is cancelled together with the task that waits.
        package var isChild: Bool { self == .group || self == .asyncLet }
    }

    /// The innermost function of the program: "closure #1 in Feed.listen()".
    public var function: String
    /// The kind of that function.
    public var kind: FunctionKind
    /// The line of that function; nil: unknown.
    public var site: TraceSite?
    /// The line of the closure with which the task was made; nil: unknown.
    public var madeAt: TraceSite?
    /// What it waits for.
    public var wait: Wait

    /// The work of a task.
    public init(
        function: String, kind: FunctionKind, site: TraceSite? = nil, madeAt: TraceSite? = nil, wait: Wait = .library
    ) {
        self.function = function
        self.kind = kind
        self.site = site
        self.madeAt = madeAt
        self.wait = wait
    }

    /// Whether the function is the closure with which the task was made.
    public var isMaker: Bool { (kind == .closure || kind == .autoclosure) && madeAt != nil && madeAt == site }
}

/// The kind of a function of the program.
public enum FunctionKind: UInt8, Sendable {
    /// The function is unknown.
    case unknown = 0
    /// A function, an accessor, or the reference to a method.
    case function = 1
    case closure = 2
    /// The closure that the compiler makes of an argument; it has no capture list.
    case autoclosure = 3
}

// MARK: - Words

extension OutsideHolder: CustomStringConvertible {
    /// The holder in words: "a task that runs Store.save(), made at Shop.swift:12, which waits for a continuation, it seems".
    ///
    /// Reports of a trace and of a running program use the same words. A closure is named by its line, not by its number.
    public var description: String { words(showsLines: true) }

    /// The words with the names of all functions and without the lines of tasks, which move when the program is edited.
    package var wordsWithoutLines: String { words(showsLines: false) }

    /// The holder in words, without what a task waits for: a task by the line that made it, or else what it runs.
    package var shortDescription: String {
        guard case .task(let tasks) = self, let first = tasks.first else { return description }
        var words = first.madeAt.map { "the task made at \($0)" } ?? Self.task + first.function
        var parent = first
        for child in tasks.dropFirst() {
            guard parent.wait.isChild else { break }
            words += " with its "
            if parent.wait == .asyncLet, child.kind == .autoclosure {
                words += "`async let`" + (child.site.map { "\(Self.at)\($0)" } ?? "")
            } else {
                words += child.madeAt.map { "child task made at \($0)" } ?? "child task that runs \(child.function)"
            }
            parent = child
        }
        return words
    }

    private func words(showsLines: Bool) -> String {
        switch self {
        case .variable(let name): return name
        case .taskResult: return "the result of a task that has ended\(Self.guess)"
        case .closure(let site): return "\(Self.closure)\(site)\(Self.closureEnd)\(Self.guess)"
        case .task(let tasks):
            if tasks.isEmpty { return "a task\(Self.guess)" }
            var words = ""
            for (place, task) in tasks.enumerated() {
                let wait = place == 0 ? nil : tasks[place - 1].wait
                if wait == .asyncLet, task.kind == .autoclosure {
                    // The compiler makes a closure of the value.
                    let place = showsLines ? task.site.map { "\(Self.at)\($0)" } : nil
                    words += Self.asyncLet + (place ?? " in " + (task.function.split(separator: " in ").last ?? ""))
                    continue
                }
                words += wait.map(Self.next) ?? Self.task
                let closure = showsLines && task.kind == .closure ? task.site.map { "\(Self.closure)\($0)" } : nil
                let made = !showsLines || task.isMaker ? nil : task.madeAt.map { "\(Self.made)\($0)" }
                words += (closure ?? task.function) + (made ?? "")
            }
            return words + (tasks.last.map { Self.end($0.wait) } ?? "") + Self.guess
        }
    }

    /// The words between a task and the one that it waits for.
    private static func next(_ wait: TaskWork.Wait) -> String {
        switch wait {
        case .group: ", which waits for a child task of its group that runs "
        case .asyncLet: asyncLet + " that runs "
        default: nextTask + task
        }
    }

    /// The words about what the last task waits for.
    private static func end(_ wait: TaskWork.Wait) -> String {
        switch wait {
        case .continuation: continuation
        case .unknown: Self.wait
        case .task: anotherTask
        case .group: ", which waits for the child tasks of its group"
        case .asyncLet: asyncLet
        case .library, .element: ""
        }
    }

    private static let guess = ", it seems"
    private static let (task, nextTask) = ("a task that runs ", ", which waits for ")
    private static let (at, made) = (" at ", ", made at ")
    private static let (wait, continuation) = (", which waits", ", which waits for a continuation")
    private static let asyncLet = ", which waits for an `async let`"
    private static let anotherTask = ", which waits for another task"
    private static let (closure, closureEnd) = ("the closure at ", ", which a timer or a queue keeps")
}

// MARK: - Old traces

extension OutsideHolder {
    /// Reads the words with which recorders before this enumeration named a holder. Nothing else reads words.
    init(described text: String) {
        guard text.hasSuffix(Self.guess) else {
            self = .variable(text)
            return
        }
        let words = text.dropLast(Self.guess.count)
        if words.hasPrefix(Self.closure), words.hasSuffix(Self.closureEnd),
            let site = TraceSite(described: words.dropFirst(Self.closure.count).dropLast(Self.closureEnd.count))
        {
            self = .closure(site)
        } else if words.hasPrefix(Self.task) {
            self = .task(Self.works(words))
        } else {
            self = words == "a task" ? .task([]) : .taskResult
        }
    }

    private static func works(_ words: Substring) -> [TaskWork] {
        let endings: [(String, TaskWork.Wait)] = [
            (anotherTask, .task), (continuation, .continuation), (wait, .unknown),
        ]
        let ending = endings.first { words.hasSuffix($0.0) }
        let separator = nextTask + task
        var (works, rest) = ([TaskWork](), words.dropFirst(task.count).dropLast(ending?.0.count ?? 0))
        while let start = rest.indices.first(where: { rest[$0...].hasPrefix(separator) }) {
            works.append(work(rest[..<start], .task))
            rest = rest[start...].dropFirst(separator.count)
        }
        return works + [work(rest, ending?.1 ?? .library)]
    }

    /// "closure #1 in Feed.listen() at Feed.swift:30", or "Store.save(), made at Shop.swift:12".
    private static func work(_ words: Substring, _ wait: TaskWork.Wait) -> TaskWork {
        for word in [made, at] {
            guard let start = words.indices.last(where: { words[$0...].hasPrefix(word) }),
                let site = TraceSite(described: words[start...].dropFirst(word.count))
            else { continue }
            let function = String(words[..<start])
            return TaskWork(
                function: function, kind: FunctionKind(ofFunction: function), site: word == at ? site : nil,
                madeAt: site, wait: wait)
        }
        return TaskWork(function: String(words), kind: FunctionKind(ofFunction: String(words)), wait: wait)
    }
}

extension FunctionKind {
    /// The kind that the name of a function in an old trace tells.
    package init(ofFunction name: String) {
        self = name.hasPrefix("implicit closure #") ? .autoclosure : name.hasPrefix("closure #") ? .closure : .function
    }
}

extension TraceSite {
    /// The site that a description names: "Login/LoginView.swift:12"; nil if it names none.
    fileprivate init?(described text: Substring) {
        guard let colon = text.lastIndex(of: ":"), let line = Int(text[text.index(after: colon)...]) else { return nil }
        self.init(file: String(text[..<colon]), line: line)
    }
}
