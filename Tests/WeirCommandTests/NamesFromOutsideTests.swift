import Foundation
import Testing
import WeirReport
import WeirTrace

/// Hostile paths, arguments and environment variables.
struct NamesFromOutsideTests {
    private let folder: BuiltCommand.Folder

    init() throws { folder = try BuiltCommand.Folder() }

    /// Runs a shell script; `weir` and `login` are the built programs weir and weir-login.
    private func shell(_ script: String) throws -> BuiltCommand.Ended {
        let programs = [("weir", "weir"), ("login", "weir-login")].map {
            "\($0)() { '\(BuiltCommand.product($1))' \"$@\"; }\n"
        }.joined()
        return try BuiltCommand("/bin/sh", ["-c", programs + script], in: folder).wait()
    }

    private func isPrintable(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0 == "\n" || !TerminalText.mustBeEscaped($0) }
    }

    private func exists(_ name: [UInt8]) -> Bool {
        let path = Array(folder.path.utf8) + [0x2F] + name + [0]
        return path.map { CChar(bitPattern: $0) }.withUnsafeBufferPointer {
            $0.baseAddress.map { access($0, F_OK) == 0 } ?? false
        }
    }

    // An escape sequence, a zero-width space, a direction override, a tag, and a byte that is not UTF-8.
    private static let hostile = #"\033]0;x\007\033[2J\342\200\213\342\200\256\363\240\201\201\351"#
    private static let shown = #"\u{1B}]0;x\u{7}\u{1B}[2J\u{200B}\u{202E}\u{E0041}\xE9"#

    @Test(arguments: ["VALUES", "LIMIT", "SNAPSHOTS"])
    func `a variable's value reaches standard error in printable words`(_ name: String) throws {
        let ended = try shell("export WEIR_TRACE=x.weir WEIR_\(name)=\"$(printf '\(Self.hostile)')\"; login")
        #expect(ended.status == 0 && !ended.output.isEmpty)
        #expect(ended.errors.hasPrefix("weir: WEIR_\(name) is '\(Self.shown)'; it must be "), "\(ended.errors)")
        #expect(ended.errors.split(separator: "\n").count == 1 && isPrintable(ended.errors))
        let long = try shell("export WEIR_TRACE=x.weir WEIR_\(name)=\"$(head -c 50000 /dev/zero | tr '\\0' x)\"; login")
        #expect(long.status == 0 && long.errors.utf8.count < 1000)
    }

    @Test func `the path of a trace reaches standard error in printable words`() throws {
        let ended = try shell("export WEIR_TRACE=\"$(printf 'none/\(Self.hostile)')\"; login")
        #expect(ended.status == 0 && ended.errors.contains("'none/\(Self.shown)'") && isPrintable(ended.errors))
    }

    @Test(arguments: [
        "info FILE", "events FILE", "info x.weir FILE", "FILE", "--FILE", "info --FILE", "graph FILE --format FILE",
        "record -o none/FILE -- true", "record --limit FILE -- true", "record -- FILE", "redundant FILE --rule FILE",
        "events here --node FILE", "why here FILE", "graph here -o none/FILE", "leaks FILE", "replay FILE",
        "record -o here -- FILE/x", "why-not here FILE", "replay here --break FILE", "demo --output none/FILE/",
    ])
    func `the command says arguments in printable words`(_ arguments: String) throws {
        _ = try shell("export WEIR_TRACE=here; login > /dev/null")
        let file = #""$(printf 'Z\#(Self.hostile)')""#
        let words = arguments.split(separator: " ").map { word in
            word.hasSuffix("FILE") ? word.dropLast(4) + file : word.replacingOccurrences(of: "FILE", with: file)
        }
        let ended = try shell("weir " + words.joined(separator: " "))
        #expect(isPrintable(ended.errors) && isPrintable(ended.output), "\(ended.errors)")
        #expect(!ended.wasKilled && !ended.errors.contains("\u{FFFD}"))
    }

    @Test func `a path that is not UTF-8 is written and read under its own bytes`() throws {
        let name = Array("caf".utf8) + [0xE9] + Array(".weir".utf8)
        let ended = try shell(#"export WEIR_TRACE="$(printf 'caf\351.weir')"; login > /dev/null"#)
        #expect(ended.status == 0 && ended.errors.isEmpty && exists(name))
        let info = try shell(#"weir info "$(printf 'caf\351.weir')""#)
        #expect(info.status == 0 && info.output.hasPrefix(#"caf\xE9.weir: a trace of weir-login"#), "\(info.output)")
        let json = try shell(#"weir info "$(printf 'caf\351.weir')" --format json"#)
        #expect(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) is [String: Any])
        let graph = try shell(
            #"weir graph "$(printf 'caf\351.weir')" --format svg -o "$(printf 'g\377.svg')""#)
        #expect(graph.status == 0 && exists([0x67, 0xFF] + Array(".svg".utf8)), "\(graph.errors)")
    }

    @Test func `record finds the traces of a name that is not UTF-8, also in such a folder`() throws {
        let ended = try shell(
            #"mkdir "$(printf 'd\200')"; cd "$(printf 'd\200')"; weir record -o "$(printf 'r\351-%%p.weir')" -- '\#(BuiltCommand.product("weir-login"))' > /dev/null"#
        )
        #expect(ended.status == 0 && ended.errors.hasPrefix(#"weir: r\xE9-"#), "\(ended.errors)")
        let again = try shell(
            #"cd "$(printf 'd\200')"; rm -f r*; WEIR_TRACE="$(printf 'q\351.weir')" '\#(BuiltCommand.product("weir"))' record -o "$(printf 'q\351.weir')" -- '\#(BuiltCommand.product("weir-login"))' > /dev/null; ls"#
        )
        #expect(again.errors.hasPrefix(#"weir: q\xE9.weir: "#), "\(again.errors)")
        #expect(exists([0x64, 0x80, 0x2F, 0x71, 0xE9] + Array(".weir".utf8)))
    }

    @Test func `arguments and variables reach a recorded program as they were`() throws {
        let ended = try shell(
            #"export ODD="$(printf 'v\351')"; weir record -o x.weir -- sh -c 'printf "$1$ODD" | od -An -tx1' sh "$(printf 'a\377')""#
        )
        #expect(ended.output.split(whereSeparator: \.isWhitespace) == ["61", "ff", "76", "e9"])
    }

    @Test func `record replaces zeros that a machine's failure left`() throws {
        _ = try folder.write("x.weir", [UInt8](repeating: 0, count: 4096))
        let ended = try shell("weir record -o x.weir -- '\(BuiltCommand.product("weir-login"))' > /dev/null")
        #expect(ended.status == 0 && ended.errors.hasPrefix("weir: x.weir: "), "\(ended.errors)")
    }
}
