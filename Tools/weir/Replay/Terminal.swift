#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension Console {
    /// Whether a full-screen view is possible: standard input and output are a terminal that supports escape sequences.
    var canTakeOverTerminal: Bool {
        isOutputTerminal && isatty(STDIN_FILENO) == 1 && environment["TERM"] != "dumb"
    }

    /// The columns for a line of output; nil if it goes neither to a terminal nor has a width in `COLUMNS`.
    var terminalColumns: Int? { columns(of: STDOUT_FILENO, isTerminal: isOutputTerminal) }

    /// The columns for a line of standard error; nil as for `terminalColumns`.
    var errorColumns: Int? { columns(of: STDERR_FILENO, isTerminal: isErrorTerminal) }

    /// `COLUMNS` goes before the size of the terminal, as for other programs.
    private func columns(of descriptor: Int32, isTerminal: Bool) -> Int? {
        if let columns = environment["COLUMNS"].flatMap({ Int($0) }), columns >= 20 { return columns }
        return isTerminal ? Terminal.size(of: descriptor)?.columns : nil
    }
}

/// The terminal as a screen: taken over, and restored on every exit.
///
/// Keys arrive one by one and unechoed, on the alternate screen. Signals that end the process, crashes included, first
/// restore the terminal; SIGKILL and a stack overflow cannot.
final class Terminal {
    /// An occurrence since the last call.
    enum Occurrence {
        case keys
        case resized
        /// This signal asked it to end.
        case ending(Int32)
        case nothing
    }

    private var bytes: [UInt8] = []

    /// Takes the terminal over; nil if standard input is none.
    init?() {
        guard tcgetattr(STDIN_FILENO, &TerminalSignals.saved) == 0 else { return nil }
        TerminalSignals.install()
        enter()
    }

    /// Restores the terminal.
    func leave() {
        TerminalSignals.giveBack()
        TerminalSignals.uninstall()
    }

    /// Its columns and rows; nil if it does not report them.
    static var size: (columns: Int, rows: Int)? { size(of: STDOUT_FILENO) }

    static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Stops the process as Ctrl-Z does, and takes the terminal over again when it continues.
    func suspend() {
        TerminalSignals.giveBack()
        raise(SIGSTOP)
        enter()
    }

    private func enter() {
        var raw = TerminalSignals.saved
        cfmakeraw(&raw)
        tcsetattr(STDIN_FILENO, TCSANOW, &raw)
        TerminalSignals.isTaken = 1
        Self.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J")
    }

    /// Draws lines from the top left corner on; erases the rest.
    func draw(_ lines: [String]) {
        let body = lines.map { $0 + "\u{1B}[0m\u{1B}[K" }.joined(separator: "\r\n")
        Self.write("\u{1B}[H" + body + "\u{1B}[J")
    }

    /// Draws one line at the bottom.
    func draw(last line: String, row: Int) { Self.write("\u{1B}[\(row);1H" + line + "\u{1B}[0m\u{1B}[K") }

    /// Waits for an occurrence, up to the given time; a negative number waits without limit.
    func wait(milliseconds: Int32) -> Occurrence {
        if let occurrence = pending { return occurrence }
        if !bytes.isEmpty, milliseconds == 0 { return .keys }
        let hasInput = TerminalSignals.waitsForInput(milliseconds: milliseconds)
        if let occurrence = pending { return occurrence }
        guard hasInput else { return .nothing }
        var buffer = [UInt8](repeating: 0, count: 256)
        let length = read(STDIN_FILENO, &buffer, buffer.count)
        // The terminal is gone.
        if length == 0 || length < 0 && errno != EINTR && errno != EAGAIN { return .ending(SIGHUP) }
        bytes += buffer.prefix(max(0, length))
        return .keys
    }

    private var pending: Occurrence? {
        if TerminalSignals.ending != 0 { return .ending(TerminalSignals.ending) }
        if TerminalSignals.wasResized != 0 {
            TerminalSignals.wasResized = 0
            return .resized
        }
        return nil
    }

    /// The next key that was pressed; nil if there is none yet.
    func key() -> TerminalKey? {
        if let key = TerminalKey.take(from: &bytes, isComplete: false) { return key }
        guard !bytes.isEmpty else { return nil }
        // The rest of a sequence arrives at once, or it is no sequence.
        if case .keys = wait(milliseconds: 30), let key = TerminalKey.take(from: &bytes, isComplete: false) {
            return key
        }
        return TerminalKey.take(from: &bytes, isComplete: true)
    }

    private static func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { systemWrite(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count > 0 { bytes = bytes.dropFirst(count) } else if errno != EINTR && errno != EAGAIN { return }
        }
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
