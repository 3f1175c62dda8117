import Foundation
import Testing
import Weir
import WeirTrace

extension Everything {
    @Suite struct KillTests {
        /// Starts the login sample under `environment`, kills it after `count` lines, and returns all its lines.
        private func killedLogin(afterLines count: Int, environment: [String: String]) throws -> [Substring] {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: try BuiltProgram("weir-login").path)
            process.arguments = ["published", "--rounds", "10000000"]
            // Without heap walks at each round's checkpoint, so that it completes many rounds.
            process.environment = ProcessInfo.processInfo.environment
                .merging(["WEIR_SNAPSHOTS": "none"]) { $1 }.merging(environment) { $1 }
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            var said = Data()
            while said.filter({ $0 == 10 }).count < count {
                let more = pipe.fileHandleForReading.availableData
                if more.isEmpty { break }
                said += more
            }
            kill(process.processIdentifier, SIGKILL)
            said += pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            #expect(process.terminationReason == .uncaughtSignal)
            // The last line may be cut off at the end of the pipe, but it was begun after its action.
            return String(decoding: said, as: UTF8.self).split(separator: "\n")
        }

        @Test(arguments: [1, 40, 333, 1000])
        func `A killed program's trace holds all that it had said`(lines: Int) throws {
            let file = try TemporaryTrace()
            let said = try killedLogin(afterLines: lines, environment: ["WEIR_TRACE": file.path])
            #expect(said.count >= lines)
            let recording = try Recording(reading: file.path)
            #expect(!recording.header.isClosed)
            #expect(recording.damage.isEmpty)
            // A line is printed after an action, and an action ends with a frame.
            #expect(recording.count(.frame) >= said.count)
            #expect(recording.count(.stimulusBegan) >= said.count)
            #expect(recording.undefined == 0)
        }

        @Test func `The environment can ask for anything, and what it asks wrongly is said`() throws {
            func complaint(_ environment: [String: String]) throws -> String {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: try BuiltProgram("weir-login").path)
                process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
                let pipe = Pipe()
                process.standardError = pipe
                process.standardOutput = FileHandle.nullDevice
                try process.run()
                let said = pipe.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                #expect(process.terminationStatus == 0)
                return String(decoding: said, as: UTF8.self)
            }
            let file = try TemporaryTrace()
            #expect(
                try complaint(["WEIR_TRACE": file.path, "WEIR_VALUES": "all"])
                    == "weir: WEIR_VALUES is 'all'; it must be none, scalars, described or described:BYTES; nothing is "
                    + "recorded\n")
            #expect(
                try complaint(["WEIR_TRACE": file.path, "WEIR_LIMIT": "lots"])
                    == "weir: WEIR_LIMIT is 'lots'; it must be a number of bytes, such as 64MiB, or none; nothing is "
                    + "recorded\n")
            #expect(
                try complaint(["WEIR_TRACE": "/nowhere/x.weir"]).hasPrefix("weir: WEIR_TRACE: cannot write a trace to"))
            #expect(!FileManager.default.fileExists(atPath: file.path))

            #expect(
                try complaint(["WEIR_TRACE": file.folder + "/%p-%%.weir", "WEIR_VALUES": "none", "WEIR_LIMIT": "1MiB"])
                    == "")
            let made = try FileManager.default.contentsOfDirectory(atPath: file.folder)
            let name = try #require(made.first)
            #expect(made.count == 1 && name.hasSuffix("-%%.weir") && Int(name.dropLast(8)) != nil)
            let recording = try Recording(reading: file.folder + "/" + name)
            #expect(recording.header.byteLimit == 1 << 20)
            #expect(recording.header.valuePolicy == .none)
            #expect(recording.header.program == "weir-login")
            #expect(recording.header.isClosed)
        }

        /// A child that another test starts has the file, and its lock, until it runs its program.
        private static func lock(_ descriptor: Int32) -> Bool {
            for _ in 0..<10_000 {
                if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
                usleep(1000)
            }
            return false
        }

        @Test func `A lock that outlives its writer is waited for, that of a writer is not`() throws {
            let file = try TemporaryTrace()
            try Trace.start(writingTo: file.path, snapshots: .none)
            Trace.stop()
            let ended = Process()
            ended.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            ended.arguments = ["true"]
            try ended.run()
            ended.waitUntilExit()
            for (writer, isReplaced) in [(getpid(), false), (ended.processIdentifier, true)] {
                let descriptor = open(file.path, O_RDWR)
                var number = UInt32(writer).littleEndian
                #expect(pwrite(descriptor, &number, 4, 16) == 4 && Self.lock(descriptor))
                let isReleased = DispatchSemaphore(value: 0)
                if isReplaced {
                    Thread {
                        usleep(20_000)
                        close(descriptor)
                        isReleased.signal()
                    }.start()
                }
                let isStarted = (try? Trace.start(writingTo: file.path, snapshots: .none)) != nil
                #expect(isStarted == isReplaced)
                if isReplaced { isReleased.wait() } else { close(descriptor) }
                Trace.stop()
            }
        }

        @Test func `A second process takes a file of its own`() throws {
            let file = try TemporaryTrace()
            let first = Process()
            first.executableURL = URL(fileURLWithPath: try BuiltProgram("weir-login").path)
            first.arguments = ["published", "--rounds", "10000000"]
            first.environment = ProcessInfo.processInfo.environment
                .merging(["WEIR_TRACE": file.path, "WEIR_SNAPSHOTS": "none"]) { $1 }
            first.standardOutput = FileHandle.nullDevice
            try first.run()
            defer {
                // A gentler signal may be blocked there: children inherit the signal mask of the thread that starts them.
                kill(first.processIdentifier, SIGKILL)
                first.waitUntilExit()
            }
            // The file belongs to the first process once it has content.
            while try FileHandle(forReadingAtPath: file.path)?.readToEnd()?.isEmpty ?? true { usleep(1000) }
            let second = Process()
            second.executableURL = first.executableURL
            second.environment = first.environment
            second.standardOutput = FileHandle.nullDevice
            try second.run()
            second.waitUntilExit()
            let own = file.folder + "/test-\(second.processIdentifier).weir"
            #expect(try Recording(reading: own).header.isClosed)
        }
    }
}
