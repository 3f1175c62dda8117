import Foundation
import Testing
import WeirTrace

@Suite(.timeLimit(.minutes(15)))
struct RecordRunTests {
    private let folder: BuiltCommand.Folder

    init() throws {
        folder = try BuiltCommand.Folder()
        // A shell that starts the tests in the background makes them ignore these, and so all programs that they start.
        for number in [SIGINT, SIGQUIT] { signal(number, SIG_DFL) }
    }

    private func record(_ arguments: String...) throws -> BuiltCommand.Ended {
        try BuiltCommand("weir", ["record"] + arguments, in: folder).wait()
    }

    @Test func `a program runs as if alone, and its trace is summed up`() throws {
        let alone = try BuiltCommand("weir-login", ["cured"], in: folder).wait()
        let ended = try record("-o", "x.weir", "--", BuiltCommand.product("weir-login"), "cured")
        #expect(ended.status == 0 && ended.output == alone.output)
        #expect(ended.errors.hasPrefix("weir: x.weir: "))
        #expect(ended.errors.contains(" emissions, ") && ended.errors.contains("`weir info x.weir`"))
        let reader = try TraceReader(path: folder("x.weir"))
        #expect(reader.isIntact && reader.header.isClosed && reader.header.program == "weir-login")
    }

    @Test func `the trace is named after the command, and an older trace is replaced`() throws {
        for _ in 0..<2 {
            #expect(try record("--", BuiltCommand.product("weir-login")).errors.hasPrefix("weir: weir-login.weir: "))
        }
        let reader = try TraceReader(path: folder("weir-login.weir"))
        #expect(reader.header.isClosed)
    }

    @Test func `value policy and limit reach the program`() throws {
        let login = BuiltCommand.product("weir-login")
        _ = try record("-o", "a.weir", "--values", "none", "--limit", "1MiB", "--", login)
        _ = try record("-o", "b.weir", "--values=described", "--limit=none", "--", login)
        let (a, b) = (try TraceReader(path: folder("a.weir")), try TraceReader(path: folder("b.weir")))
        #expect(a.header.valuePolicy == .none && a.header.byteLimit == 1 << 20)
        #expect(b.header.valuePolicy == .described && b.header.byteLimit == 0 && !b.header.isFlightRecorder)
    }

    @Test func `the least limit is one that the recorder takes, and nothing starts without a place`() throws {
        let login = BuiltCommand.product("weir-login")
        #expect(try record("-o", "a.weir", "--limit", "528384", "--", login).errors.hasPrefix("weir: a.weir: "))
        #expect(try TraceReader(path: folder("a.weir")).header.byteLimit == 528_384)
        _ = try folder.write("file", [1])
        let ended = try record("-o", "file/x.weir", "--", "echo", "started")
        #expect(ended.status == 5 && ended.output.isEmpty && ended.errors.contains("(Not a directory)"))
        let spaced = try record("-o", "a b.weir", "--", login)
        #expect(spaced.errors.contains("`weir info 'a b.weir'` sums it up"))
    }

    @Test func `the process id takes the place of %p`() throws {
        let ended = try record("-o", "x-%p.weir", "--", BuiltCommand.product("weir-login"))
        let name = try traces().first
        #expect(name != nil && name != "x-%p.weir")
        #expect(ended.errors.hasPrefix("weir: \(name ?? ""): "))
    }

    @Test func `traces of further processes are named, those of earlier runs are not`() throws {
        let login = BuiltCommand.product("weir-login")
        // The first holds the trace while the others run: it waits for the reader of its output.
        let script = #""$0" --rounds 1000000 | { read line; "$0" > /dev/null; "$0" > /dev/null; }"#
        let ended = try record("-o", "x.weir", "--", "sh", "-c", script, login)
        #expect(ended.status == 0)
        let further = try traces().filter { $0 != "x.weir" }
        #expect(further.count == 2)
        let sentence = "weir: 2 further processes left traces of their own: \(further.joined(separator: " and ")).\n"
        #expect(ended.errors.hasPrefix("weir: x.weir: ") && ended.errors.hasSuffix(sentence))
        for name in further {
            let id = name.dropFirst(2).dropLast(5)
            #expect(try TraceReader(path: folder(name)).header.processID == UInt32(id))
        }
        #expect(try !record("-o", "x.weir", "--", login).errors.contains("further"))
        #expect(try record("-o", "x.weir", "--", "true").errors.hasPrefix("weir: 'true' left no trace"))
    }

    @Test func `a trace that another program is writing is not taken for the command's`() throws {
        let login = BuiltCommand.product("weir-login")
        let other = try BuiltCommand(
            "weir-login", ["--rounds", "1000000"], in: folder, environment: ["WEIR_TRACE": folder("x.weir")])
        #expect(try other.wait { try !$0.outputSoFar().isEmpty })
        let ended = try record("-o", "x.weir", "--", login)
        let alone = try record("-o", "x.weir", "--", "true")
        kill(other.processID, SIGKILL)
        _ = try other.wait()
        let own = try traces().filter { $0 != "x.weir" }
        #expect(own.count == 1 && ended.errors.hasPrefix("weir: \(own.first ?? ""): "))
        #expect(!ended.errors.contains("further"))
        #expect(alone.errors.hasPrefix("weir: 'true' left no trace at x.weir: "))
    }

    @Test func `with %p every process has a trace, that of the command first`() throws {
        let script = #""$0" > /dev/null; "$0" > /dev/null; exec "$0" > /dev/null"#
        let ended = try record("-o", "x-%p.weir", "--", "sh", "-c", script, BuiltCommand.product("weir-login"))
        let all = try traces()
        #expect(all.count == 3)
        // The shell became the most recently started program.
        let main = try all.max {
            try TraceReader(path: folder($0)).header.startWallClock
                < TraceReader(path: folder($1)).header.startWallClock
        }
        let further = all.filter { $0 != main }
        #expect(ended.errors.hasPrefix("weir: \(main ?? ""): "))
        #expect(ended.errors.hasSuffix(": \(further.joined(separator: " and ")).\n"))
    }

    /// The names of all traces in the folder, by process id.
    private func traces() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".weir") }
            .sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
    }

    @Test(arguments: [0, 1, 7, 255])
    func `the exit status is the command's`(_ status: Int32) throws {
        #expect(try record("--", "sh", "-c", "exit \(status)").status == status)
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGKILL, SIGSEGV])
    func `a command that a signal kills gives 128 and its number`(_ signal: Int32) throws {
        let ended = try record("--", "sh", "-c", "kill -\(signal) $$")
        #expect(ended.status == 128 + signal && !ended.wasKilled)
    }

    @Test func `what cannot be started gives a shell's exit codes`() throws {
        let missing = try record("--", "no-such-command-anywhere")
        #expect(missing.status == 127)
        #expect(
            missing.errors
                == "weir: there is no command 'no-such-command-anywhere'; check its name, or give its path.\n"
        )
        #expect(try record("--", folder.path).status == 126)
    }

    @Test func `a program without Weir is distinguished`() throws {
        let ended = try record("-o", "x.weir", "--", "true")
        #expect(ended.status == 0)
        #expect(ended.errors.hasPrefix("weir: 'true' left no trace at x.weir: "))
        #expect(ended.errors.split(separator: "\n").count == 1)
    }

    @Test func `an older trace is not taken for a new one`() throws {
        _ = try record("-o", "x.weir", "--", BuiltCommand.product("weir-login"))
        #expect(try record("-o", "x.weir", "--", "true").errors.hasPrefix("weir: 'true' left no trace"))
    }

    @Test func `a file that is no trace is never overwritten`() throws {
        let notes = try folder.write("notes.txt", Array("Buy milk.".utf8))
        let ended = try record("-o", "notes.txt", "--", BuiltCommand.product("weir-login"))
        #expect(ended.status == 2 && ended.output.isEmpty)
        #expect(
            ended.errors
                == "weir: notes.txt exists and is not a trace, so it is left alone; choose another file with -o.\n"
        )
        #expect(try Data(contentsOf: URL(fileURLWithPath: notes)) == Data("Buy milk.".utf8))
        #expect(try record("-o", ".", "--", "true").status == 2)
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT])
    func `signals are handed on once, and the command decides`(_ signal: Int32) throws {
        let script = """
            count=0
            trap 'count=$((count + 1)); echo caught' \(signal)
            echo ready
            while [ $count -eq 0 ]; do sleep 0.02; done
            sleep 0.3
            exit $((40 + count))
            """
        let command = try BuiltCommand("weir", ["record", "--", "sh", "-c", script], in: folder)
        #expect(try command.wait { try $0.outputSoFar().contains("ready") })
        kill(command.processID, signal)
        let ended = try command.wait()
        #expect(ended.status == 41 && !ended.wasKilled)
        #expect(ended.output == "ready\ncaught\n")
    }

    @Test func `what a killed program had said it did is in its trace`() throws {
        let login = try BuiltCommand(
            "weir-login", ["--rounds", "1000000"], in: folder, environment: ["WEIR_TRACE": folder("x.weir")])
        #expect(try login.wait { try $0.outputSoFar().utf8.count > 40_000 })
        kill(login.processID, SIGKILL)
        let ended = try login.wait()
        #expect(ended.wasKilled)
        // Only whole lines are acknowledged.
        let acknowledged = ended.output.split(separator: "\n", omittingEmptySubsequences: false).count - 1
        let reader = try TraceReader(path: folder("x.weir"))
        var frames = 0
        reader.forEachEvent { event in
            frames += event.kind == .frame ? 1 : 0
            return true
        }
        #expect(acknowledged > 400 && frames >= acknowledged)
        #expect(!reader.header.isClosed && reader.damageCount == 0)
        let info = try BuiltCommand.weir("info", "x.weir", in: folder)
        #expect(info.status == 0 && info.output.contains("The trace was not closed"))
        let watched = try BuiltCommand.weir("watch", "--once", "--size", "80x24", "x.weir", in: folder)
        #expect(watched.status == 0 && watched.output.contains("process \(login.processID) is not running here"))
    }

    @Test func `following goes on until the trace is closed, and misses nothing`() throws {
        let login = try BuiltCommand(
            "weir-login", ["--rounds", "80"], in: folder, environment: ["WEIR_TRACE": folder("x.weir")])
        #expect(try login.wait { _ in FileManager.default.fileExists(atPath: folder("x.weir")) })
        #expect(try login.wait { try !$0.outputSoFar().isEmpty })
        let follower = try BuiltCommand("weir", ["events", "--follow", "x.weir"], in: folder)
        #expect(try login.wait().status == 0)
        let followed = try follower.wait()
        #expect(followed.status == 0 && followed.errors.isEmpty)
        let listed = try BuiltCommand.weir("events", "x.weir", in: folder)
        #expect(listed.outputLines.count > 10_000)
        #expect(followed.outputLines.count == listed.outputLines.count)
        #expect(followed.outputLines.last == listed.outputLines.last)
        #expect(followed.outputLines.allSatisfy { !$0.contains(" node ") })
    }

    @Test func `following waits for a trace that is not there yet`() throws {
        let follower = try BuiltCommand("weir", ["events", "--follow", "x.weir"], in: folder)
        #expect(try follower.wait { try !$0.errorsSoFar().isEmpty })
        let login = try BuiltCommand("weir-login", [], in: folder, environment: ["WEIR_TRACE": folder("x.weir")])
        #expect(try login.wait().status == 0)
        let followed = try follower.wait()
        #expect(followed.status == 0)
        #expect(followed.errors == "weir: x.weir is not there yet; waiting for it.\n")
        #expect(followed.output == (try BuiltCommand.weir("events", "x.weir", in: folder)).output)
    }

    @Test func `following ends when the writer was killed, and says so`() throws {
        let login = try BuiltCommand(
            "weir-login", ["--rounds", "1000000"], in: folder, environment: ["WEIR_TRACE": folder("x.weir")])
        #expect(try login.wait { try $0.outputSoFar().utf8.count > 1000 })
        let follower = try BuiltCommand(
            "weir", ["events", "--follow", "--kind", "checkpoint", "x.weir"], in: folder)
        #expect(try follower.wait { try !$0.outputSoFar().isEmpty })
        kill(login.processID, SIGKILL)
        _ = try login.wait()
        let ended = try follower.wait()
        #expect(ended.status == 0)
        #expect(ended.errors.hasSuffix("is gone and did not close it; that was all.\n"))
    }

    @Test func `following stops at the limit`() throws {
        _ = try record("-o", "x.weir", "--", BuiltCommand.product("weir-login"))
        let ended = try BuiltCommand.weir("events", "x.weir", "--follow", "--limit", "3", in: folder)
        #expect(ended.status == 0 && ended.outputLines.count == 3)
    }
}
