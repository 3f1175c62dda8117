#if Recording
import CWeirCore
import WeirRecording

/// The intervals around a delivery to a handler: that of its turn, if it begins one, and that of the refresh.
struct DeliverySignposts {
    private let turn, refresh: SignpostInterval?

    /// Nil: the recording has no signposts. Call it before the delivery is recorded.
    init?<Value>(of source: Node, to sink: Sink<Value>) {
        guard weir_has_signposts(), !source.isLeftOut else { return nil }
        let log = ThreadLog()
        turn = log.turnBegins { source.signpostName }
        if sink.isTerminal {
            refresh = log.refreshBegins({ sink.signpostName(from: source) }, cause: { sink.signpostCause(source) })
        } else {
            refresh = nil
        }
    }

    func end(unchanged: Bool = false) {
        refresh?.end(unchanged: unchanged)
        turn?.end()
    }
}

extension Node {
    /// The name of its label, or else the line that made it.
    final var signpostName: String {
        Registry.shared.adoption(of: self)?.label ?? givenLabel ?? "\(kind) \(SignpostSite.text(file, line))"
    }
}

extension Sink {
    /// The name of its observer, or of the body or callback that it is the handler of, or else its line.
    final func signpostName(from source: Node?) -> String {
        if let target { return target.signpostName }
        if let source, isPartOf(source) { return source.signpostName }
        return "handler \(SignpostSite.text(file, line))"
    }

    /// The node whose value it receives, unless it is part of that.
    fileprivate final func signpostCause(_ source: Node) -> String? { isPartOf(source) ? nil : source.signpostName }

    private final func isPartOf(_ source: Node) -> Bool {
        source.technique == .callback || source.technique == .render
    }

    /// Receives a value whose delivery has been recorded.
    @usableFromInline @inline(never)
    final func receiveWithSignpost(_ value: Value, from source: Node) {
        let log = ThreadLog()
        guard isTerminal,
            let refresh = log.refreshBegins({ signpostName(from: source) }, cause: { signpostCause(source) })
        else { return receive(value) }
        let isRepeated = repeats(value, from: source)
        receive(value)
        refresh.end(unchanged: isRepeated)
    }

    /// Receives the value of a cold signal.
    @usableFromInline @inline(never)
    final func emitWithSignposts(_ value: Value, isTurn: Bool) {
        let signposts = isIsolated && isAway ? nil : DeliverySignposts(of: originNode, to: self)
        let isRepeated = signposts != nil && isTerminal && repeats(value, from: originNode)
        emitRecorded(value, isTurn: isTurn, isCaused: true)
        signposts?.end(unchanged: isRepeated)
    }

    /// Whether it received a value with the same hash before. A private value is never compared, and events have no former value.
    final func repeats(_ value: Value, from source: Node) -> Bool {
        guard source.kind != .emitter, !source.isPrivate, !weir_load_bool(&originIsPrivate),
            let hash = (value as? any Hashable)?.hashValue
        else { return false }
        let log = ThreadLog()
        let code = log.isReady(weir_recording()) ? code(log, source: source) : 0
        return code != 0 && log.repeats(hash, code)
    }
}

/// A line of the program, as in `LoginView.swift:29`.
private enum SignpostSite {
    static func text(_ file: UnsafePointer<UInt8>, _ line: UInt32) -> String {
        let path = String(cString: file)
        return "\(path.split(separator: "/").last ?? ""):\(line)"
    }
}

/// The signposts of the system.
enum SystemSignposts {
    /// Says so if the system has none.
    static func sink() -> (any SignpostSink)? {
        #if canImport(os)
        return OSSignposts.shared
        #else
        Complaint.say("signposts exist on Apple platforms only; the recording has none")
        return nil
        #endif
    }
}
#endif
