import Foundation
import Testing
import WeirTestSupport
import WeirTrace

/// With little room or none, or with a lost file, the program does its work and ends as it would without recording.
extension OtherProcesses {
    @Suite struct SpaceTests {
        /// How a recording begins, what limits it, and how the program ends.
        struct Way: CustomStringConvertible {
            var ending = "returns"
            var isStartedByProgram = false
            var isBounded = false

            var description: String { "\(ending), \(isStartedByProgram ? "call" : "environment"), \(isBounded)" }
            var isOrderly: Bool { ending != "leaves" && ending != "isKilled" }
            var output: String { "filled 6500\n" + (ending == "stops" ? "went on\n" : "") }

            static let all = ["returns", "stops", "exits", "leaves", "isKilled"].flatMap { ending in
                [(true, false), (false, false), (false, true)].map {
                    Way(ending: ending, isStartedByProgram: $0.0, isBounded: $0.1)
                }
            }
        }

        /// Around each number of chunks that fits, or at every multiple of a page.
        private static let sizes = Repeats.part(of: Array(stride(from: 0, through: 512, by: 4))) {
            $0 % 64 <= 8 || $0 % 100 == 0
        }

        /// All ways at some sizes, at the others the plain one.
        private static func ways(at kibibytes: Int) -> [Way] {
            Way.all.filter {
                $0.ending == "returns" || [0, 4, 8, 132, 200, 264].contains(kibibytes) || Repeats.factor > 1
            }
        }

        @Test func `A limit on the size of files kills nobody, whatever it is`() throws {
            let file = try TemporaryTrace()
            for kibibytes in Self.sizes {
                for way in Self.ways(at: kibibytes) {
                    let ended = try fill(file.path, way, limitedTo: kibibytes)
                    try check(file.path, way, ended, "limit of \(kibibytes) KiB, \(way)", hasRoom: kibibytes >= 132)
                }
            }
        }

        @Test(.enabled(if: getuid() == 0, "mounting needs root"))
        func `A disk that is full kills nobody, however much room it has left`() throws {
            let file = try TemporaryTrace()
            guard try runSystemCommand("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", file.folder) == 0 else {
                // In a container root may not mount.
                return
            }
            defer { _ = try? runSystemCommand("umount", "-l", file.folder) }
            let ballast = file.folder + "/ballast"
            for kibibytes in Self.sizes {
                try Data(count: (1024 - kibibytes) << 10).write(to: URL(fileURLWithPath: ballast))
                for way in Self.ways(at: kibibytes) {
                    Self.waitForRoom(in: file.folder, kibibytes: kibibytes)
                    let ended = try fill(file.path, way)
                    try check(file.path, way, ended, "\(kibibytes) KiB free, \(way)", hasRoom: kibibytes >= 132)
                }
                try FileManager.default.removeItem(atPath: ballast)
            }
        }

        /// The system may free the room of a removed file a little later.
        private static func waitForRoom(in folder: String, kibibytes: Int) {
            for _ in 0..<1000 {
                var disk = statvfs()
                guard statvfs(folder, &disk) == 0, Int(disk.f_bavail) * Int(disk.f_frsize) < kibibytes << 10 else {
                    return
                }
                usleep(1000)
            }
        }

        /// The program's output is complete, and the remaining trace is readable.
        private func check(_ path: String, _ way: Way, _ ended: Ended, _ reported: String, hasRoom: Bool) throws {
            let comment = Comment(rawValue: "\(reported): \(ended)")
            #expect(ended.status == (way.ending == "isKilled" ? 128 + SIGKILL : 0), comment)
            let refusals = ended.output.split(separator: "\n").filter { $0.hasPrefix("refused: ") }
            #expect(ended.output.hasSuffix(way.output), comment)
            let sentences = ended.errors.split(separator: "\n").count
            defer { unlink(path) }
            guard FileManager.default.fileExists(atPath: path) else {
                #expect(!hasRoom, comment)
                let said = way.isStartedByProgram ? refusals.count : sentences
                #expect(said == 1 && refusals.count + sentences == 1, comment)
                return
            }
            #expect(hasRoom && refusals.isEmpty && sentences == 0, comment)
            let reader = try TraceReader(path: path)
            let emitted = reader.emissionCount
            #expect(reader.damage.isEmpty && reader.header.isClosed == way.isOrderly, comment)
            let lost = try #require(reader.header.lostEvents)
            if !way.isBounded { #expect(emitted + Int(lost) >= 6500, comment) }
            #expect(emitted > 100, comment)
        }

        @Test func `The command reads what a full disk leaves`() throws {
            let file = try TemporaryTrace()
            for kibibytes in [132, 200, 512] {
                _ = try fill(file.path, Way(), limitedTo: kibibytes)
                let answer = try BuiltProgram("weir").run(["info", file.path], isHeardWhole: true)
                #expect(answer.status == 0 && answer.text.contains("left no room"), "\(answer.text)")
            }
        }

        @Test func `Whoever cuts, removes or closes the file does not end the program`() throws {
            let file = try TemporaryTrace()
            let cut = try fill(file.path, Way(ending: "cuts"))
            #expect(cut.status == 0 && cut.output == "filled 6500\n")
            #expect(
                cut.errors
                    == "weir: another program cut '\(file.path)' off while it was being written, so its trace is lost; "
                    + "record it again, and copy or remove traces only when the program has ended\n")
            // The remnant is an empty file, which the next recording replaces.
            let removed = try fill(file.path, Way(ending: "removes"))
            #expect(removed.status == 0 && removed.output == "filled 6500\n")
            #expect(
                removed.errors
                    == "weir: another program removed '\(file.path)' while it was being written, so its trace is lost; "
                    + "record it again\n")
            let closed = try fill(file.path, Way(ending: "closes"))
            #expect(closed.status == 0 && closed.output == "filled 6500\n" && closed.errors.isEmpty)
            let own = try Data(contentsOf: URL(fileURLWithPath: file.folder + "/own"))
            #expect(own == Data(repeating: UInt8(ascii: "x"), count: 16))
            let reader = try TraceReader(path: file.path)
            reader.forEachEvent { _ in true }
            #expect(reader.damage.isEmpty && reader.header.isClosed && reader.header.lostEvents ?? 0 > 0)
        }

        @Test func `A complaint that nobody reads ends nobody`() throws {
            for arguments in ["fill returns 2>&-", "fill returns 2>/dev/full", "fill returns 2>\"$1\""] {
                let file = try TemporaryTrace()
                // The third one's standard error is a file of the maximum size.
                let errors = file.folder + "/errors"
                try Data(count: 4096).write(to: URL(fileURLWithPath: errors))
                let script = "ulimit -f 8; exec \"$0\" " + arguments.replacingOccurrences(of: "2>\"", with: "2>>\"")
                let program = try BuiltProgram("WeirPlainProgram").path
                let ended = try shell(script, [program, errors], trace: "/nowhere/x.weir")
                #expect(ended.status == 0 && ended.output == "filled 6500\n", "\(arguments): \(ended)")
            }
            let process = Process()
            process.executableURL = URL(fileURLWithPath: try BuiltProgram("WeirPlainProgram").path)
            process.arguments = ["fill", "returns"]
            process.environment = environment("/nowhere/x.weir")
            let (output, errors) = (Pipe(), Pipe())
            process.standardOutput = output
            process.standardError = errors
            try errors.fileHandleForReading.close()
            try process.run()
            let said = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            #expect(process.terminationReason == .exit && process.terminationStatus == 0)
            #expect(said == Data("filled 6500\n".utf8))
        }

        @Test func `Of many processes that start at once with one name, each has a trace of its own`() throws {
            let program = try BuiltProgram("WeirPlainProgram").path
            for round in 0..<4 {
                let file = try TemporaryTrace()
                if round % 2 == 1 { try Data(count: 4096).write(to: URL(fileURLWithPath: file.path)) }
                let children = try (0..<16).map { _ in
                    let (process, input, output, errors) = (Process(), Pipe(), Pipe(), Pipe())
                    process.executableURL = URL(fileURLWithPath: program)
                    process.arguments = ["fill", "waits"]
                    process.environment = environment(file.path)
                    (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
                    try process.run()
                    return (process: process, input: input, output: output, errors: errors)
                }
                // All of them record before the first one ends.
                var said = children.map { _ in "" }
                for (place, child) in children.enumerated() {
                    while said[place].filter({ $0 == "\n" }).count < 2 {
                        let more = child.output.fileHandleForReading.availableData
                        if more.isEmpty { break }
                        said[place] += String(decoding: more, as: UTF8.self)
                    }
                }
                for child in children { try child.input.fileHandleForWriting.close() }
                for child in children {
                    child.process.waitUntilExit()
                    #expect(child.process.terminationStatus == 0)
                    let errors = child.errors.fileHandleForReading.readDataToEndOfFile()
                    #expect(errors.isEmpty, "\(String(decoding: errors, as: UTF8.self))")
                }
                let paths = said.map { String($0.split(separator: "\n").last ?? "") }
                #expect(Set(paths).count == children.count && paths.contains(file.path))
                for (path, child) in zip(paths, children) {
                    let header = try TraceReader(path: path).header
                    #expect(header.processID == UInt32(child.process.processIdentifier) && header.isClosed)
                }
            }
        }

        // MARK: Running the program

        struct Ended: CustomStringConvertible {
            let status: Int32
            let output: String
            let errors: String

            var description: String { "status \(status), output \(output), errors \(errors)" }
        }

        /// - Parameter limit: in KiB.
        private func fill(_ path: String, _ way: Way, limitedTo limit: Int? = nil) throws -> Ended {
            // A shell counts in blocks of 512 bytes.
            let script = (limit.map { "ulimit -f \($0 * 2); " } ?? "") + #"exec "$0" "$@""#
            return try shell(
                script,
                [BuiltProgram("WeirPlainProgram").path, "fill", way.ending] + (way.isStartedByProgram ? [path] : []),
                trace: way.isStartedByProgram ? nil : path, limit: way.isBounded ? "600000" : "none")
        }

        private func environment(_ trace: String?, limit: String = "none") -> [String: String] {
            var variables = ProcessInfo.processInfo.environment
            variables["WEIR_TRACE"] = trace
            variables["WEIR_LIMIT"] = limit
            variables["WEIR_SNAPSHOTS"] = "none"
            variables["SWIFT_BACKTRACE"] = "enable=no"
            return variables
        }

        private func shell(
            _ script: String, _ arguments: [String], trace: String?, limit: String = "none"
        ) throws -> Ended {
            let (process, output, errors) = (Process(), Pipe(), Pipe())
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", script] + arguments
            process.environment = environment(trace, limit: limit)
            process.currentDirectoryURL = trace.map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
                .flatMap { FileManager.default.fileExists(atPath: $0.path) ? $0 : nil }
            process.standardOutput = output
            process.standardError = errors
            try process.run()
            let said = output.fileHandleForReading.readDataToEndOfFile()
            let complained = errors.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return Ended(
                status: process.terminationStatus + (process.terminationReason == .uncaughtSignal ? 128 : 0),
                output: String(decoding: said, as: UTF8.self), errors: String(decoding: complained, as: UTF8.self))
        }
    }
}
