import WeirAnalysis
import WeirReport
import WeirTrace

/// The tool's messages on standard error: one sentence each, with what, where, and what to do.
enum Wording {
    static func sentence(for error: UsageError) -> String {
        switch error {
        case .unknownCommand(let name, let nearest):
            "there is no command '\(quoted(name))'; "
                + meant(nearest, else: "`weir --help` lists the commands")
        case .unknownOption(let option, nil, let nearest):
            "there is no option '\(quoted(option))'; "
                + meant(nearest, else: "`weir --help` lists the commands")
        case .unknownOption(let option, .some(let command), let nearest):
            "'weir \(command)' has no option '\(quoted(option))'; "
                + meant(nearest, else: "`weir \(command) --help` lists its options")
        case .missingValue(let option, let placeholder):
            "--\(option) needs a value: write --\(option) \(placeholder)."
        case .unwantedValue(let option): "--\(option) takes no value; leave out what follows the '='."
        case .repeatedOption(let option): "--\(option) is given twice; give it once."
        case .missingArgument(let argument, let command):
            "'weir \(command)' needs \(argument); `weir \(command) --help` shows how to write it."
        case .unexpectedArgument(let argument, let command):
            "'\(quoted(argument))' is one argument too many for 'weir \(command)'; leave it out."
        case .badValue(let option, let value, let expected, let nearest):
            "--\(option) cannot be '\(quoted(value))'; " + meant(nearest, else: "give it \(expected)")
        case .unknownNode(let name, let trace, let nearest):
            "no node of \(quoted(trace)) is named '\(quoted(name))'; "
                + meant(
                    nearest,
                    else:
                        "`weir info \(TerminalText.argument(trace))` lists the nodes; name a handler by its line, such as View.swift:12"
                )
        // Numbers are given in order, from 1.
        case .undefinedNode(let id, let trace, let last, let orEvent) where id == 0 || id > last:
            "\(quoted(trace)) defines no node \(id); "
                + (last == 0 ? "it defines none" : "the last one is node \(last)")
                + (orEvent ? ", and an event has two numbers, as in 1:42." : ".")
        case .undefinedNode(let id, let trace, _, _):
            "node \(id) is not defined in the remaining events of \(quoted(trace)), so its state is unknown; "
                + "`weir events \(TerminalText.argument(trace)) --node \(id)` lists what it did."
        case .ambiguousNode(let name, let candidates):
            "'\(quoted(name))' may be \(list(candidates.map(quoted), "or")); give more of the name, or its number."
        case .unknownKind(let kind, let nearest):
            "there is no kind of event '\(quoted(kind))'; "
                + meant(nearest, else: "`weir events --help` lists the kinds")
        case .unknownRule(let rule, let nearest):
            "there is no rule '\(quoted(rule))'; "
                + meant(nearest, else: "`weir redundant --help` lists the rules")
        case .unknownLeakRule(let rule, let nearest):
            "there is no rule '\(quoted(rule))'; " + meant(nearest, else: "`weir leaks --help` lists the rules")
        case .noSuchCheckpoint(let name, let trace, let nearest, let known, let more):
            "no checkpoint of \(quoted(trace)) is '\(quoted(name))'; " + checkpoints(known, more: more, nearest)
        case .noSuchStimulus(let text, let trace, let nearest, _) where nearest.contains(text):
            "\(quoted(trace)) has no stimulus number \(quoted(text)); for the one with this text, write 'stimulus:\(quoted(text))'."
        case .noSuchStimulus(let text, let trace, let nearest, _) where !nearest.isEmpty:
            "no stimulus of \(quoted(trace)) is '\(quoted(text))'; " + meant(nearest, else: "")
        case .noSuchStimulus(let text, let trace, _, let known):
            "no stimulus of \(quoted(trace)) is '\(quoted(text))'; "
                + (known.isEmpty ? "it has none" : "it has " + list(known.map { "'\(quoted($0))'" }, "and"))
                + "."
        case .notATraceToOverwrite(let path):
            "\(quoted(path)) exists and is not a trace, so it is left alone; choose another file with -o."
        case .noSuchFolder(let path):
            "there is no folder \(quoted(path)) for the trace; make it, or choose another file with -o."
        case .folderNotWritable(let path, let code):
            "the trace cannot be written in \(quoted(path)) (\(System.message(code))); choose another file with -o."
        case .emptyTracePath: "the name of the trace is empty; give the path of a file that 'weir record' wrote."
        case .standardInput:
            "a trace is not read from standard input or a pipe; save it to a file and name that ('./-' if it is named -)."
        case .needsOption(let option, let other):
            "--\(option) works only with \(other); add it, or leave --\(option) out."
        case .traceInTheWay(let path):
            "\(quoted(path)) is a trace, so it is not replaced; choose another file with -o."
        case .cannotWrite(let path, let code):
            "\(quoted(path)) cannot be written (\(System.message(code))); choose another file with -o."
        case .timeOutside(let time, let trace, let last):
            "\(quoted(time)) lies behind the end of \(quoted(trace)): it holds what happened from 0 to "
                + Figures.duration(nanoseconds: last) + "."
        case .noStimulusAfter(let time, let trace, .some(let last)):
            "no stimulus of \(quoted(trace)) began at \(quoted(time)) or later; the last one began "
                + Figures.duration(nanoseconds: last) + " after the start."
        case .noStimulusAfter(_, let trace, nil):
            "\(quoted(trace)) has no stimulus; leave out --after, and the last emission that nothing caused counts."
        case .nothingHappened(let trace):
            "\(quoted(trace)) holds no stimulus and no emission that could have changed anything."
        case .noSuchEvent(let id, let trace, .some(let last), _):
            "\(quoted(trace)) has no event \(quoted(id)); "
                + (EventID(id)?.sequence == 0 ? "numbers begin with 1, and " : "")
                + "the last event of that thread is \(last)."
        case .noSuchEvent(let id, let trace, nil, let threads):
            "\(quoted(trace)) has no event \(quoted(id)); "
                + (threads.isEmpty
                    ? "it holds none."
                    : "it holds those of " + list(threads.prefix(6).map { "thread \($0)" }, "and") + ".")
        case .badExpression(let option, let text, let error):
            "--\(option) '\(quoted(text))' is no expression: \(problem(error)); `weir replay --help` shows how to write one."
        case .sharedName(let name, let ids):
            "\(Figures.count(ids.count, "node")) are named '\(quoted(name))'; in an expression give one by its number: "
                + list(ids.prefix(6).map { "#\($0)" } + (ids.count > 6 ? ["…"] : []), "or") + "."
        case .nothingToRedact:
            "'weir redact' needs to know what to remove: give --all, --node NAME or --type TYPE."
        case .fileInTheWay(let path): "\(quoted(path)) exists, so it is left alone; choose another file with -o."
        case .unknownType(let type, let trace, let nearest, let known):
            "no node of \(quoted(trace)) holds values of type '\(quoted(type))'; "
                + meant(nearest, else: known.isEmpty ? "it names no types" : "it has \(list(known.map(quoted), "and"))")
        case .notForFormat(let option, let format):
            "--\(option) does not apply to --format \(format)."
        case .unknownShell(let name, let nearest):
            "there are no completions for '\(quoted(name))'; "
                + meant(nearest, else: "there are some for bash, zsh and fish")
        case .noTraces(let folder):
            "\(quoted(folder)) contains no file whose name ends with '.weir'; name a trace, or a folder with traces."
        case .noSuchSourceRoot(let path):
            "there is no folder \(quoted(path)); give --source-root the folder that contains the sources."
        case .unreadableFile(let path, let code):
            "\(quoted(path)) cannot be read (\(System.message(code))); check its path and permissions."
        case .tooFewRuns(let path, let count):
            "--runs needs at least \(RunFigures.fewestForTimes) traces on each side; \(quoted(path)) has \(count)."
        case .noBaseline(let path):
            "there is no baseline \(quoted(path)); write it once with --update-baseline, and commit it."
        case .badPolicy(let path, let mistake): quoted(PolicyWords(path: path, mistake: mistake).sentence)
        case .bothPrinted(let one, let other):
            "--output \(one) and --output \(other) would both be printed; give one of them a file: \(one)=FILE."
        case .severalTraces(let option): "--\(option) takes one trace; name one, or leave --\(option) out."
        case .contradiction(let one, let other): "--\(one) and --\(other) do not go together; leave out one of them."
        }
    }

    static func sentence(for error: TraceError) -> String { quoted(error.description) + "." }

    static func sentence(for error: OutputError) -> String {
        switch error {
        case .closed: "nobody reads the output any more."
        case .failed(let code): "the result cannot be written (\(System.message(code))); see where it goes."
        }
    }

    static func unexpected(_ error: any Error) -> String { quoted("\(error)") }

    static func damaged(_ path: String, _ count: Int, first: TraceDamage) -> String {
        "\(quoted(path)) is damaged in \(Figures.count(count, "place")), first \(quoted(first.description)); "
            + "`weir info` explains the effect."
    }

    static func lost(_ path: String, _ count: UInt64) -> String {
        "\(quoted(path)) lacks \(Figures.count(count, "event")) that could not be recorded."
    }

    static func writerGone(_ path: String, _ process: UInt32) -> String {
        "the program that wrote \(quoted(path)) (process \(process)) is gone and did not close it; that was all."
    }

    static func noMatch(_ path: String, isFiltered: Bool) -> String {
        isFiltered
            ? "no event matches; `weir info \(TerminalText.argument(path))` shows what \(quoted(path)) holds."
            : "\(quoted(path)) holds no events."
    }

    static func waiting(_ path: String) -> String {
        "\(quoted(path)) is not there yet; waiting for it."
    }

    // MARK: record

    static func notFound(_ command: String) -> String {
        "there is no command '\(quoted(command))'; check its name, or give its path."
    }

    static func notExecutable(_ command: String, _ code: Int32) -> String {
        "'\(quoted(command))' cannot be run (\(System.message(code))); check its path and permissions."
    }

    static func noTrace(_ command: String, _ path: String) -> String {
        "'\(quoted(command))' left no trace at \(quoted(path)): either it does not use the library Weir (a program "
            + "records itself once its view models use Weir's observables), or it could not write there."
    }

    static func furtherTraces(_ paths: [String]) -> String {
        let rest = paths.count - 6
        let names = paths.prefix(6).map(quoted) + (rest > 0 ? ["\(Figures.count(rest)) more"] : [])
        let whose = Figures.count(
            paths.count, "further process left a trace of its own", "further processes left traces of their own")
        return "\(whose): \(list(names, "and"))."
    }

    static func cannotMakeDirectory(_ path: String, _ code: Int32) -> String {
        "the directory \(quoted(path)) cannot be made (\(System.message(code))); choose another with --output."
    }

    static func cannotRecord(_ reason: String) -> String {
        "the demonstration cannot be recorded: \(quoted(reason))."
    }

    static func incomplete(_ path: String, _ sentences: [String]) -> String {
        "\(quoted(path)) is incomplete. " + sentences.joined(separator: " ")
    }

    static func weakened(_ path: String, _ sentences: [String]) -> String {
        "\(quoted(path)) is incomplete, and so may be this answer. " + sentences.joined(separator: " ")
    }

    static func mayMissLeaks(_ path: String, _ reasons: [String]) -> String {
        (["\(quoted(path)) may hide leaks."] + reasons).joined(separator: " ")
    }

    static func notDrawable(_ path: String, _ obstacle: String) -> String {
        "GitHub will not draw this graph of \(quoted(path)): \(obstacle); show less of it with --node NAME --depth N "
            + "or --collapse owner."
    }

    /// The second part of a picture's subtitle.
    static func folded(_ nodes: Int, of all: Int, in boxes: Int) -> String {
        "; \(Figures.count(nodes)) of \(Figures.count(all, "node")) stand in \(Figures.count(boxes, "box", "boxes")), "
            + "which --expand NAME opens"
    }

    static func cannotOpen(_ path: String, _ problem: Browser.Problem) -> String {
        switch problem {
        case .missing(let programs):
            "\(quoted(path)) was written, but not opened: \(list(programs.map(quoted), "and")) "
                + (programs.count == 1 ? "is" : "are")
                + " not on PATH; set BROWSER to a program, or open the file yourself."
        case .failed(let program, let status):
            "\(quoted(path)) was written, but \(quoted(program)) could not open it (exit code \(status)); set BROWSER to another "
                + "program, or open the file yourself."
        }
    }

    static func copyFailed(_ path: String, _ code: Int32) -> String {
        "\(quoted(path)) cannot be written (\(System.message(code))), so there is no copy; make room, or choose another file "
            + "with -o."
    }

    static let watchNeedsTerminal =
        "`weir watch` needs a terminal; `weir watch TRACE --once` prints one screen without one."

    static func notImported(_ path: String, _ error: ImportError) -> String {
        "\(quoted(path)): line \(error.line): \(quoted(error.problem)). No trace was written."
    }

    static func otherTraces(_ path: String, _ trace: UInt64) -> String {
        "\(quoted(path)) has rows of several traces; those of trace \(trace) were imported. Use --trace N for another one."
    }

    static func noEvents(_ path: String) -> String {
        "\(quoted(path)) has no rows of the table 'events', so the trace is empty."
    }

    static func notUpdated(_ path: String, _ unreadable: [String]) -> String {
        "\(quoted(path)) was not updated, because \(Figures.count(unreadable.count, "trace")) cannot be read: "
            + "\(quoted(unreadable[0]))"
    }

    static func valid(_ path: String, _ policy: Policy) -> String {
        let counts = [
            Figures.count(policy.rules.count, "rule"), Figures.count(policy.overrides.count, "override"),
            Figures.count(policy.budgets.count, "budget"), Figures.count(policy.waivers.count, "waiver"),
        ]
        return "\(quoted(path)) is a policy: \(list(counts, "and"))."
    }

    // MARK: pieces

    /// "a", "a or b", "a, b or c".
    static func list(_ words: [String], _ conjunction: String) -> String {
        guard words.count > 1, let last = words.last else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " \(conjunction) " + last
    }

    /// The words with commas between, over several lines of at most `width` characters.
    static func lines(_ words: [String], width: Int) -> String {
        var lines: [String] = []
        for (index, word) in words.enumerated() {
            let piece = word + (index + 1 < words.count ? "," : "")
            if let last = lines.last, last.count + piece.count < width {
                lines[lines.count - 1] = last + " " + piece
            } else {
                lines.append(piece)
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func checkpoints(_ known: [String], more: Int, _ nearest: [String]) -> String {
        if known.isEmpty { return "it has none: leave out --at, and the end is judged." }
        let names = known.map { "'\(quoted($0))'" } + (more > 0 ? ["\(Figures.count(more)) more"] : [])
        return nearest.isEmpty
            ? "it has \(list(names, "and"))." : "\(meant(nearest, else: "")) It has \(list(names, "and"))."
    }

    private static func meant(_ nearest: [String], else advice: String) -> String {
        nearest.isEmpty ? advice + "." : "did you mean " + list(nearest.map { "'\(quoted($0))'" }, "or") + "?"
    }

    /// Arguments and names reach the terminal escaped, like any text from outside.
    private static func quoted(_ text: String) -> String {
        TerminalText.cut(TerminalText.escaped(text), to: 400)
    }
}
