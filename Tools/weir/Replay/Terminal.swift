#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Console {
    /// Whether a full-screen view may be shown: standard input and output are a terminal that knows escape sequences.
    var canTakeOverTerminal: Bool {
        isOutputTerminal && isatty(STDIN_FILENO) == 1 && environment["TERM"] != "dumb"
    }

    /// How many columns a line of output may take; nil: it does not go to a terminal.
    var terminalColumns: Int? {
        guard isOutputTerminal, let size = Terminal.size else { return nil }
        return size.columns
    }
}

/// The terminal as a screen: taken over, and given back on every way out.
///
/// Keys come one by one and unechoed, on the alternate screen. Signals that end the process give the terminal back
/// first, crashes included; SIGKILL cannot, and neither can a stack that overflowed.
final class Terminal {
    /// What has come up since it was last asked.
    enum Occurrence {
        case keys
        case resized
        /// It was asked to end, by this signal.
        case ending(Int32)
        case nothing
    }

    private var bytes: [UInt8] = []

    /// Takes the terminal over; nil: standard input is none.
    init?() {
        guard tcgetattr(STDIN_FILENO, &TerminalSignals.saved) == 0 else { return nil }
        TerminalSignals.install()
        enter()
    }

    /// Gives the terminal back.
    func leave() {
        TerminalSignals.giveBack()
        TerminalSignals.uninstall()
    }

    /// Its columns and rows; nil: it does not tell.
    static var size: (columns: Int, rows: Int)? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Stops the process as Ctrl-Z does, and takes the terminal over again when it goes on.
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

    /// Draws lines from the top left corner on; what is not overwritten is erased.
    func draw(_ lines: [String]) {
        let body = lines.map { $0 + "\u{1B}[0m\u{1B}[K" }.joined(separator: "\r\n")
        Self.write("\u{1B}[H" + body + "\u{1B}[J")
    }

    /// Draws one line at the bottom.
    func draw(last line: String, row: Int) { Self.write("\u{1B}[\(row);1H" + line + "\u{1B}[0m\u{1B}[K") }

    /// Waits for something to come up, at most so long; less than 0: without end.
    func wait(milliseconds: Int32) -> Occurrence {
        if let occurrence = pending { return occurrence }
        if !bytes.isEmpty, milliseconds == 0 { return .keys }
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        let count = poll(&input, 1, milliseconds)
        if let occurrence = pending { return occurrence }
        guard count > 0 else { return .nothing }
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

    /// The next key that was pressed; nil: none, so far.
    func key() -> TerminalKey? {
        if let key = TerminalKey.take(from: &bytes, isComplete: false) { return key }
        guard !bytes.isEmpty else { return nil }
        // The rest of a sequence comes at once, or it is none.
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
