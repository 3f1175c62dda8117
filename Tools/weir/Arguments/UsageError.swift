import WeirAnalysis
import WeirReport
import WeirTrace

/// Invalid arguments; `Wording` has the sentences.
enum UsageError: Error, Equatable {
    case unknownCommand(String, nearest: [String])
    case unknownOption(String, command: String?, nearest: [String])
    case missingValue(option: String, placeholder: String)
    case unwantedValue(option: String)
    case repeatedOption(String)
    case missingArgument(String, command: String)
    case unexpectedArgument(String, command: String)
    case badValue(option: String, value: String, expected: String, nearest: [String] = [])
    case unknownNode(String, trace: String, nearest: [String])
    /// `last`: the highest number of a node that the trace defines; `orEvent`: the user may have meant an event.
    case undefinedNode(UInt32, trace: String, last: UInt32, orEvent: Bool = false)
    case ambiguousNode(String, candidates: [String])
    case unknownKind(String, nearest: [String])
    case unknownRule(String, nearest: [String])
    case unknownLeakRule(String, nearest: [String])
    case noSuchCheckpoint(String, trace: String, nearest: [String], known: [String], more: Int)
    case noSuchStimulus(String, trace: String, nearest: [String], known: [String])
    case notATraceToOverwrite(path: String)
    case noSuchFolder(path: String)
    case folderNotWritable(path: String, code: Int32)
    case emptyTracePath
    case standardInput
    /// The second: as it is written, with its dashes.
    case needsOption(String, String)
    case traceInTheWay(path: String)
    case cannotWrite(path: String, code: Int32)
    case timeOutside(String, trace: String, last: UInt64)
    case noStimulusAfter(String, trace: String, last: UInt64?)
    case nothingHappened(trace: String)
    case noSuchEvent(String, trace: String, last: EventID?, threads: [UInt32])
    case badExpression(option: String, String, ExpressionError)
    case sharedName(String, ids: [UInt32])
    case contradiction(String, String)
    case severalTraces(option: String)
    case nothingToRedact
    case fileInTheWay(path: String)
    case unknownType(String, trace: String, nearest: [String], known: [String])
    case noTraces(folder: String)
    case noSuchSourceRoot(path: String)
    case unreadableFile(path: String, code: Int32)
    case noBaseline(path: String)
    case tooFewRuns(path: String, count: Int)
    case badPolicy(path: String, PolicyMistake)
    case bothPrinted(String, String)
    case notForFormat(option: String, format: String)
    case unknownShell(String, nearest: [String])

    /// The exit code. A file that cannot be made is a result that cannot be written, no mistake in the arguments.
    var code: ExitCode {
        switch self {
        case .cannotWrite, .noSuchFolder, .folderNotWritable: .outputFailed
        default: .usage
        }
    }

    /// The words nearest to a misspelt one; dashes do not count.
    static func nearest(_ word: String, _ candidates: [String]) -> [String] {
        let bare = Dictionary(candidates.map { ($0.trimmingDashes, $0) }) { first, _ in first }
        var near = Spelling.nearest(to: word.trimmingDashes, among: bare.keys, limit: 2)
        if near.isEmpty, word.trimmingDashes.count >= 2 {
            // An abbreviation is no misspelling, but is suggested, too.
            near = bare.keys.filter { $0.hasPrefix(word.trimmingDashes) }.sorted()
        }
        return near.prefix(2).compactMap { bare[$0] }
    }
}

extension String {
    fileprivate var trimmingDashes: String { String(drop { $0 == "-" }) }
}
