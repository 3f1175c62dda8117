import Foundation
import Testing

/// The pages of `Weir.docc` name existing API, and are complete.
@Suite struct MigrationTests {
    private static func page(_ name: String) throws -> DocumentationPage {
        try DocumentationPage("Sources/Weir/Weir.docc/\(name).md")
    }

    /// Words of Swift and of its libraries, and the pages' names for a user's own types.
    private static let foreign: Set<String> = [
        "AsyncSubject", "Error", "Future", "Int", "NSControl", "NotificationCenter", "Other", "Set", "UIControl",
        "WeirTesting", "_", "a", "apply",
        "asyncSequence", "await", "b", "beats", "customError", "events", "forever", "observable", "replayLazily",
        "scope", "source",
        "suffix",
        "false",
        "in", "max", "nil", "notifications", "other", "prepareForReuse", "result", "seconds", "self", "sequence",
        "signal",
        "subscriber", "throw", "true", "try", "weak", "weir",
    ]

    @Test func `Every name in the column 'Weir' is declared public`() throws {
        let declared = try PublicNames()
        let rows = try Self.page("Migration").rows
        #expect(rows.count > 130)
        for row in rows {
            try #require(row.count == 6, "a row of \(row.count) cells: \(row)")
            for code in DocumentationPage.code(in: row[5]) {
                let names = Self.words(code).filter { !Self.foreign.contains($0) }
                let unknown = names.filter { !declared.contains($0) }
                #expect(unknown.isEmpty, "in the row '\(row[0])', nowhere declared")
            }
        }
    }

    @Test func `Every row says how Weir does it`() throws {
        for row in try Self.page("Migration").rows {
            #expect(row[5] != "—" && !row[5].isEmpty, "\(row[0])")
            #expect(row[1...4].contains { $0 != "—" } || row[0].contains("glitch"), "'\(row[0])' is nobody's concept")
        }
    }

    @Test func `Every piece that the table refers to is written out`() throws {
        let page = try Self.page("Migration")
        for number in 1...30 {
            let isWritten = page.text.contains("\n**\(number). ")
            let isReferredTo = page.rows.contains { $0[5].contains("(\(number))") }
            #expect(isWritten == isReferredTo, "(\(number))")
        }
    }

    /// The API that the articles use, under their letters.
    private static let used: [String: [String]] = [
        "A": [
            "Observable", "value", "create", "addObserver:", "removeObserver:", "Observer", "subscribe", "invoke:",
            "handle",
            "ObservableCombiner", "CombineStrategyFirst", "CombineStrategyAll", "CombineStrategyEvery", "safeValue",
            "__weak", "__strong",
        ],
        "B": [
            "Observable", "val", "Emitter", "emit", "subscribe(onNext:)", "subscribeEvent", "Disposable", "DisposeBag",
            "disposed(by:)", "Observation", "Event", "PossibleEvent", "action", "latestEvent", "WeakObservation",
            "Notifier",
            "notify", "observe", "safeAsync", "map", "ignoreLatest", "bind(to:at:)", "subscribe(keyPath)",
            "NSKeyValueObservation", "TargetAction", "observe(.editingChanged, take: \\.text)",
            "observe(.touchUpInside)",
        ],
        "C": [
            "RACSignal", "RACStream", "RAC", "RACObserve", "return:", "empty", "createSignal:", "RACSubscriber",
            "sendNext:",
            "sendError:", "sendCompleted", "RACDisposable", "disposableWithBlock:", "subscribeNext:", "map",
            "takeUntil:",
            "rac_prepareForReuseSignal", "combineLatest:reduce:", "distinctUntilChanged", "flattenMap:", "flatten",
            "zipWith:", "RACTuple", "concat:", "rac_sequence", "array", "subscribeOn:", "deliverOnMainThread",
            "RACScheduler", "schedulerWithPriority:", "RACCommand", "initWithSignalBlock:",
            "initWithEnabled:signalBlock:", "execute:", "executing", "executionSignals", "errors", "rac_command",
            "rac_liftSelector:withSignals:", "RACChannel", "RACChannelTo", "RACChannelTerminal", "leadingTerminal",
            "followingTerminal", "rac_newTextChannel", "first", "@weakify", "@strongify",
        ],
        "D": [
            "RACSignal", "createSignal:", "defer", "RACSubscriber", "sendNext:", "sendError:", "sendCompleted",
            "RACObserve",
            "RACObserve(self, viewModel.name)", "RAC", "rac_signalForControlEvents:", "rac_textSignal",
            "rac_buttonClickedSignal", "rac_signalForSelector:", "subscribeNext:", "map", "merge:",
            "bufferWithTime:onScheduler:", "RACScheduler", "mainThreadScheduler", "@weakify", "@strongify",
        ],
    ]

    @Test(arguments: used.keys.sorted()) func `Nothing that the articles use is missing`(article: String) throws {
        let cells = try Self.page("Migration").rows.map { $0[1] }
        // 'C, D `map`; A `value`': each part names its articles first.
        var named: Set<String> = []
        for part in cells.flatMap({ $0.split(separator: ";") }) {
            let articles = part.prefix { $0 != "`" }.split { !$0.isLetter }.filter { $0.count == 1 }.map(String.init)
            if articles.contains(article) { named.formUnion(DocumentationPage.code(in: String(part))) }
        }
        for term in try #require(Self.used[article]) {
            #expect(named.contains(term), "'\(term)' of article \(article)")
        }
    }

    @Test func `The index lists every operator, and only what exists`() throws {
        let declared = try PublicNames()
        let page = try Self.page("Operators")
        let listed = Set(
            page.lines.filter { $0.hasPrefix("- ") }.flatMap(DocumentationPage.code(in:)).flatMap(Self.words))
        #expect(declared.ofSignals.count > 40)
        #expect(declared.ofSignals.subtracting(listed).isEmpty, "not in Operators.md")
        let unknown = listed.subtracting(Self.foreign).filter { !declared.contains($0) }
        #expect(unknown.isEmpty, "in Operators.md, nowhere declared")
    }

    @Test(arguments: ["Weir", "Migration"]) func `The code in the pages is run by a test`(name: String) throws {
        let folder = "Tests/WeirTests/Migration"
        let rows = try FileManager.default.contentsOfDirectory(
            atPath: DocumentationPage.root.appendingPathComponent(folder).path)
        let files = ["Tests/WeirTests/Documentation/PageExampleTests.swift"] + rows.map { "\(folder)/\($0)" }
        let code = try files.flatMap { try DocumentationPage($0).lines }.map { $0.trimmingCharacters(in: .whitespaces) }
            .joined(separator: "\n")
        let blocks = try Self.page(name).codeBlocks
        #expect(!blocks.isEmpty)
        for block in blocks {
            let text = block.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
            #expect(code.contains(text), "not in \(files):\n\(text)")
        }
    }

    private static func words(_ code: String) -> [String] {
        code.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init).filter { Int($0) == nil }
    }
}

/// The public API of the modules for users: names, labels and cases.
private struct PublicNames {
    private var names: Set<String> = []
    /// Functions and properties that a user calls on a signal, or to make one.
    private(set) var ofSignals: Set<String> = []

    func contains(_ name: String) -> Bool { names.contains(name) }

    init() throws {
        for module in ["Weir", "WeirTesting"] {
            let folder = DocumentationPage.root.appendingPathComponent("Sources/\(module)")
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            while let file = files?.nextObject() as? URL {
                guard file.pathExtension == "swift" else { continue }
                let source = try String(contentsOf: file, encoding: .utf8)
                try read(source, isOfSignals: Self.areOfSignals(file) && source.contains("\nextension "))
            }
        }
    }

    private static func areOfSignals(_ file: URL) -> Bool {
        let folder = file.deletingLastPathComponent().lastPathComponent
        return folder == "Operators" || folder == "Sources" && file.lastPathComponent != "Subscriber.swift"
    }

    private mutating func read(_ source: String, isOfSignals: Bool) throws {
        let declaration = try NSRegularExpression(
            pattern: #"^ *(?:@\w+(?:\(\w+\))? )*public [a-z ]*?\b"#
                + #"(func|var|let|class|struct|enum|protocol|init)\b ?`?(\w+)?"#,
            options: .anchorsMatchLines)
        let text = source as NSString
        for match in declaration.matches(in: source, range: NSRange(location: 0, length: text.length)) {
            let keyword = text.substring(with: match.range(at: 1))
            if match.range(at: 2).location != NSNotFound {
                let name = text.substring(with: match.range(at: 2))
                names.insert(name)
                let isType = ["class", "struct", "enum", "protocol"].contains(keyword)
                if isOfSignals && !isType { ofSignals.insert(name) }
            }
            guard ["func", "init"].contains(keyword) else { continue }
            let rest = text.substring(from: match.range.upperBound)
            let signature = String(rest.prefix { $0 != "{" })
            try matches(#"(?:^|[(,])\s*(\w+)(?: \w+)?: "#, in: signature).forEach { names.insert($0) }
        }
        guard source.contains("public enum") else { return }
        try matches(#"(?m)^ *case (\w+)"#, in: source).forEach { names.insert($0) }
    }

    private func matches(_ pattern: String, in text: String) throws -> [String] {
        let found = try NSRegularExpression(pattern: pattern)
            .matches(in: text, range: NSRange(location: 0, length: (text as NSString).length))
        return found.map { (text as NSString).substring(with: $0.range(at: 1)) }
    }
}
