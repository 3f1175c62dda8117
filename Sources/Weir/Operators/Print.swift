import CWeirCore
import WeirRecording

extension Signal {
    /// The same signal; prints a line for each subscription, value and end, before it is passed on.
    ///
    /// ```swift
    /// query.debounce(.milliseconds(300), on: .main).print("query").subscribe { search($0) }
    /// ```
    /// prints, to the standard output:
    ///
    ///     query: subscribed
    ///     query: next swift
    ///     query: disposed
    ///
    /// or `completed`, `failed Offline()`, `released` (the source was released). It prints `‹private›` instead of values and
    /// errors of a private signal; see `disclosed()`. Threads print at the same time, so lines of several signals may mix.
    ///
    /// - Parameter label: begins each line; the default is the line of the call, such as 'Search.swift:12'.
    public func print(
        _ label: String? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> Signal<Value> {
        let label = label ?? Print<Value>.site(file, line)
        return Operator(.print, Print(label: label) { Swift.print($0) }, to: self, file: file, line: line)
    }

    /// The same signal; writes a line for each subscription, value and end to `stream`, before it is passed on.
    ///
    /// Otherwise the same as `print(_:)`. All subscriptions write to the same stream.
    public func print(
        _ label: String? = nil, to stream: some TextOutputStream & Sendable, file: StaticString = #fileID,
        line: UInt = #line
    ) -> Signal<Value> {
        let label = label ?? Print<Value>.site(file, line)
        let stream = SharedStream(stream)
        return Operator(.print, Print(label: label) { stream.write($0 + "\n") }, to: self, file: file, line: line)
    }
}

@usableFromInline
struct Print<Value>: Operation {
    @usableFromInline typealias Input = Value
    @usableFromInline typealias Output = Value
    let label: String
    let write: @Sendable (String) -> Void

    /// "Search.swift:12".
    static func site(_ file: StaticString, _ line: UInt) -> String {
        "\("\(file)".split(separator: "/").last ?? "?"):\(line)"
    }

    @usableFromInline
    func attach(_ downstream: Sink<Value>, to source: Signal<Value>) -> Disposable {
        let say: @Sendable (String) -> Void = { [label, write] in write("\(label): \($0)") }
        say("subscribed")
        return source.attach(
            InputSink<Value, Value>(feeding: downstream) { value in
                say(weir_load_bool(&downstream.originIsPrivate) ? "next ‹private›" : "next \(value)")
                downstream.emit(value)
            } end: { ending in
                switch ending {
                case .completed: say("completed")
                case .failed(let error):
                    say(weir_load_bool(&downstream.originIsPrivate) ? "failed ‹private›" : "failed \(error)")
                case .released, .abandoned: say("released")
                }
                downstream.finish(ending)
            } cancelled: { reason in
                say("disposed")
                downstream.cancel(reason)
            })
    }
}

/// A text stream to which several subscriptions write.
private final class SharedStream<Stream: TextOutputStream & Sendable>: Sendable {
    private let stream: Guarded<Stream>

    init(_ stream: Stream) { self.stream = Guarded(stream) }

    /// No lock is held while the stream's own code runs: if two writes to a stream of a value type overlap, one is lost.
    func write(_ line: String) {
        var current = stream.withState { $0 }
        current.write(line)
        stream.withState { swap(&$0, &current) }
    }
}
