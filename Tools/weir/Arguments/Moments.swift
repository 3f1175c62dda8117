import WeirAnalysis
import WeirReport
import WeirTrace

/// Reads moments of a trace as people write them on a command line.
enum Moments {
    /// The expected values of an option that takes a moment, for an error message.
    static let expectation = "a time (12ms), an event (1:42), a stimulus (its number, or a part of its text) or 'end'"

    /// "12ms" is a time, "1:42" an event, "3" a stimulus by its number, "end" the end; anything else is a stimulus's text.
    ///
    /// Nil if the text is empty. The prefix 'stimulus:' makes any text the text of a stimulus.
    static func parse(_ text: String) -> Moment? {
        if text.isEmpty { return nil }
        if text == "end" { return .end }
        if let id = EventID(text) { return .event(id) }
        if let number = UInt64(text), number > 0 { return .stimulus(.number(number)) }
        // '5 ms' is a time, too.
        if let time = Quantities.nanoseconds(text.filter { $0 != " " }) { return .time(time) }
        let prefix = "stimulus:"
        guard text.hasPrefix(prefix) else { return .stimulus(.text(text)) }
        let rest = String(text.dropFirst(prefix.count))
        return rest.isEmpty ? nil : .stimulus(.text(rest))
    }

    /// The moment that an option names; nil when it is not given.
    static func moment(_ option: String, _ arguments: ParsedArguments) throws(UsageError) -> Moment? {
        try arguments.value(option, expecting: expectation, parse)
    }

    /// The error for a moment written as `text`; a pass over the trace finds the valid values.
    static func usageError(
        for error: MomentError, of text: String, _ reader: TraceReader, _ path: String, _ console: Console
    ) throws(TraceError) -> UsageError {
        switch error {
        case .timeOutside(let last): return .timeOutside(text, trace: path, last: last)
        case .noSuchEvent(let id):
            let threads = try console.summary(of: reader, path).threads.filter { $0.events > 0 }
            let last = threads.first { $0.number == id.thread }?.lastSequence
            return .noSuchEvent(
                text, trace: path, last: last.map { EventID(thread: id.thread, sequence: $0) },
                threads: threads.map(\.number))
        case .noSuchStimulus:
            let texts = try console.summary(of: reader, path).stimuli.map(\.text)
            return .noSuchStimulus(
                text, trace: path, nearest: Spelling.nearest(to: text, among: texts), known: Array(texts.prefix(6)))
        }
    }
}
