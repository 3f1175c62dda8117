import Foundation
import Testing
import WeirTrace

@testable import WeirCommand

struct WordingTests {
    @Test(arguments: [
        (
            UsageError.unknownCommand("inof", nearest: ["info"]),
            "there is no command 'inof'; did you mean 'info'?"
        ),
        (.unknownCommand("x", nearest: []), "there is no command 'x'; `weir --help` lists the commands."),
        (
            .unknownOption("--nod", command: "events", nearest: ["--node", "--no"]),
            "'weir events' has no option '--nod'; did you mean '--node' or '--no'?"
        ),
        (
            .unknownOption("--x", command: "info", nearest: []),
            "'weir info' has no option '--x'; `weir info --help` lists its options."
        ),
        (
            .unknownOption("--versio", command: nil, nearest: ["--version"]),
            "there is no option '--versio'; did you mean '--version'?"
        ),
        (.missingValue(option: "node", placeholder: "NAME"), "--node needs a value: write --node NAME."),
        (.unwantedValue(option: "follow"), "--follow takes no value; leave out what follows the '='."),
        (.repeatedOption("limit"), "--limit is given twice; give it once."),
        (
            .missingArgument("TRACE", command: "info"),
            "'weir info' needs TRACE; `weir info --help` shows how to write it."
        ),
        (
            .unexpectedArgument("y\u{1B}", command: "info"),
            #"'y\u{1B}' is one argument too many for 'weir info'; leave it out."#
        ),
        (
            .badValue(option: "after", value: "12", expected: "a time such as 12ms, 1.5s or 300us"),
            "--after cannot be '12'; give it a time such as 12ms, 1.5s or 300us."
        ),
        (
            .unknownNode("usernme", trace: "x.weir", nearest: ["LoginViewModel.username"]),
            "no node of x.weir is named 'usernme'; did you mean 'LoginViewModel.username'?"
        ),
        (
            .unknownNode("q", trace: "x.weir", nearest: []),
            "no node of x.weir is named 'q'; `weir info x.weir` lists the nodes; name a handler by its line, such as View.swift:12."
        ),
        (
            .ambiguousNode("name", candidates: ["A.name (1, M/A.swift:3)", "B.name (2)"]),
            "'name' may be A.name (1, M/A.swift:3) or B.name (2); give more of the name, or its number."
        ),
        (
            .unknownKind("emited", nearest: ["emitted"]),
            "there is no kind of event 'emited'; did you mean 'emitted'?"
        ),
        (
            .timeOutside("3s", trace: "x.weir", last: 2_900_000),
            "3s lies behind the end of x.weir: it holds what happened from 0 to 2.9 ms."
        ),
        (
            .noSuchEvent("1:9", trace: "x.weir", last: EventID(thread: 1, sequence: 8), threads: [1]),
            "x.weir has no event 1:9; the last event of that thread is 1:8."
        ),
        (
            .noSuchEvent("1:0", trace: "x.weir", last: EventID(thread: 1, sequence: 8), threads: [1]),
            "x.weir has no event 1:0; numbers begin with 1, and the last event of that thread is 1:8."
        ),
        (.undefinedNode(9, trace: "x.weir", last: 8), "x.weir defines no node 9; the last one is node 8."),
        (
            .undefinedNode(0, trace: "x.weir", last: 8, orEvent: true),
            "x.weir defines no node 0; the last one is node 8, and an event has two numbers, as in 1:42."
        ),
        (.undefinedNode(0, trace: "x.weir", last: 0), "x.weir defines no node 0; it defines none."),
        (
            .undefinedNode(7, trace: "x.weir", last: 8),
            "node 7 is not defined in the remaining events of x.weir, so its state is unknown; "
                + "`weir events x.weir --node 7` lists what it did."
        ),
        (
            .noSuchEvent("3:9", trace: "x.weir", last: nil, threads: [1, 2]),
            "x.weir has no event 3:9; it holds those of thread 1 and thread 2."
        ),
        (.noSuchEvent("3:9", trace: "x.weir", last: nil, threads: []), "x.weir has no event 3:9; it holds none."),
        (
            .noStimulusAfter("1s", trace: "x.weir", last: 2_000_000),
            "no stimulus of x.weir began at 1s or later; the last one began 2 ms after the start."
        ),
        (
            .noStimulusAfter("1s", trace: "x.weir", last: nil),
            "x.weir has no stimulus; leave out --after, and the last emission that nothing caused counts."
        ),
        (
            .nothingHappened(trace: "x.weir"),
            "x.weir holds no stimulus and no emission that could have changed anything."
        ),
        (
            .sharedName("model", ids: [3, 54]),
            "2 nodes are named 'model'; in an expression give one by its number: #3 or #54."
        ),
        (.contradiction("at", "break"), "--at and --break do not go together; leave out one of them."),
        (
            .needsOption("depth", "--node NAME"),
            "--depth works only with --node NAME; add it, or leave --depth out."
        ),
        (
            .traceInTheWay(path: "x.weir"),
            "x.weir is a trace, so it is not replaced; choose another file with -o."
        ),
        (
            .cannotWrite(path: "y.svg", code: ENOSPC),
            "y.svg cannot be written (No space left on device); choose another file with -o."
        ),
        (
            .noSuchStimulus("tap", trace: "x.weir", nearest: [], known: ["type", "swipe"]),
            "no stimulus of x.weir is 'tap'; it has 'type' and 'swipe'."
        ),
        (
            .noSuchStimulus("tap", trace: "x.weir", nearest: [], known: []),
            "no stimulus of x.weir is 'tap'; it has none."
        ),
        (
            .noSuchStimulus("tpa", trace: "x.weir", nearest: ["tap"], known: ["tap", "type"]),
            "no stimulus of x.weir is 'tpa'; did you mean 'tap'?"
        ),
        (
            .unknownNode("q", trace: "my trace.weir", nearest: []),
            "no node of my trace.weir is named 'q'; `weir info 'my trace.weir'` lists the nodes; name a handler by its line, such as View.swift:12."
        ),
        (
            .folderNotWritable(path: "a", code: EACCES),
            "the trace cannot be written in a (Permission denied); choose another file with -o."
        ),
        (
            .notATraceToOverwrite(path: "notes.txt"),
            "notes.txt exists and is not a trace, so it is left alone; choose another file with -o."
        ),
    ])
    func `wrong usage is reported in one sentence`(_ error: UsageError, _ sentence: String) {
        #expect(Wording.sentence(for: error) == sentence)
    }

    @Test func `an unreadable trace is reported in one sentence that names the file`() {
        let errors: [TraceError] = [
            .missing(path: "x.weir"), .isDirectory(path: "x.weir"), .notAFile(path: "x.weir"),
            .empty(path: "x.weir"),
            .notATrace(path: "x.weir", offset: 3), .newerVersion(path: "x.weir", found: 9, known: 1),
            .damagedHeader(path: "x.weir", offset: 4032), .unreadable(path: "x.weir", offset: 7, code: 5),
        ]
        for error in errors {
            let sentence = Wording.sentence(for: error)
            #expect(sentence.hasPrefix("x.weir: ") && sentence.hasSuffix(".") && !sentence.hasSuffix(".."))
        }
        #expect(Wording.sentence(for: TraceError.notATrace(path: "x", offset: 3)).contains("byte 3"))
    }

    @Test func `no sentence about a file lets it steer the terminal`() {
        #expect(!Wording.sentence(for: TraceError.missing(path: "\u{1B}[2J\n")).contains("\u{1B}"))
        #expect(Wording.noTrace("a\nb", "c").hasPrefix(#"'a\nb' left no trace at c: "#))
    }

    @Test func `further traces are counted, and the first of them named`() {
        #expect(
            Wording.furtherTraces(["x-1.weir"])
                == "1 further process left a trace of its own: x-1.weir.")
        #expect(
            Wording.furtherTraces((1...8).map { "x-\($0)" })
                == "8 further processes left traces of their own: x-1, x-2, x-3, x-4, x-5, x-6 and 2 more.")
        #expect(Wording.furtherTraces(["\u{1B}[2J"]).hasSuffix(#": \u{1B}[2J."#))
    }

    @Test func `words are listed as in a sentence`() {
        #expect(Wording.list([], "or") == "")
        #expect(Wording.list(["a"], "or") == "a")
        #expect(Wording.list(["a", "b", "c"], "or") == "a, b or c")
        #expect(Wording.lines(["aaa", "bbb", "ccc"], width: 9) == "aaa, bbb,\nccc")
    }
}
