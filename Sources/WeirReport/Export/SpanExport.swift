import WeirAnalysis
@_spi(Records) import WeirTrace

/// OTLP as JSON lines: a cascade is a trace, and each stimulus, batch, hop, emission and delivery is a span below its cause.
///
/// A line is an `ExportTraceServiceRequest` with up to 512 spans. A span is written when it ends; memory grows with open spans.
struct SpanExport {
    private struct Span {
        var id: EventID
        var cascade: UInt64
        var parent: EventID?
        var name: String
        var kind: String
        var began: UInt64
        var attributes: [(StaticString, String)]
    }

    private struct Frame {
        var span: Span
        var delivery: Span?
    }

    private static let mostSpans = 512

    private let sink: ByteSink
    private let header: TraceHeader
    private let path: String
    private let definitions: TraceDefinitions
    private let timeScale: TimeScale
    private let salt: UInt64
    private var threads: [UInt32: FrameWalk<Frame>] = [:]
    private var spans = 0

    init(_ sink: ByteSink, _ reader: TraceReader, number: Int, path: String) throws(TraceError) {
        self.sink = sink
        header = reader.header
        self.path = path
        definitions = try reader.definitions()
        timeScale = TimeScale(reader.header)
        salt = Self.mixed(
            UInt64(bitPattern: header.startWallClock) ^ UInt64(header.processID) << 32 ^ UInt64(number))
    }

    mutating func take(_ event: TraceEvent, cascade: UInt64) throws {
        let now = timeScale.nanosecondsSinceStart(event.ticks)
        var frames = threads.removeValue(forKey: event.id.thread) ?? FrameWalk()
        while let closed = frames.close(before: event) { try write(closed.payload, ended: now) }
        switch event.kind {
        case .emitted, .completed, .failed:
            var attributes: [(StaticString, String)] = [("weir.node", "\(event.subject)")]
            if event.kind != .completed { attributes.append(("weir.value", event.value.description)) }
            let span = span(event, cascade, definitions.name(ofNode: event.subject), now, frames, attributes)
            if event.delivers { frames.open(event, Frame(span: span)) } else { try write(span, ended: now) }
        case .stimulusBegan, .batchBegan, .hopBegan:
            let name = event.kind == .stimulusBegan ? event.text : event.kind == .hopBegan ? "hop" : "batch"
            let span = span(event, cascade, name, now, frames, [])
            frames.open(event, Frame(span: span))
        case .deliveryBegan, .deliveryNext:
            guard let place = frames.delivering(event) else { break }
            try closeDelivery(&frames[place], now)
            if !event.isSettling { frames[place].delivery = delivery(event, now, in: frames[place]) }
        case .deliveryEnded:
            if frames.delivering(event) != nil, let closed = frames.closeInnermost() {
                try write(closed.payload, ended: now)
            }
        default: break
        }
        if frames.count > 0 { threads[event.id.thread] = frames }
    }

    /// Ends the spans that are still open, and the line.
    mutating func finish(at ticks: UInt64) throws {
        for (_, frames) in threads.sorted(by: { $0.key < $1.key }) {
            var frames = frames
            while let closed = frames.closeInnermost() {
                try write(closed.payload, ended: timeScale.nanosecondsSinceStart(ticks))
            }
        }
        threads = [:]
        if spans > 0 { endLine() }
    }

    // MARK: Spans

    private func span(
        _ event: TraceEvent, _ cascade: UInt64, _ name: String, _ now: UInt64, _ frames: FrameWalk<Frame>,
        _ attributes: [(StaticString, String)]
    ) -> Span {
        let around = frames.innermost.map { $0.payload.delivery?.id ?? $0.payload.span.id }
        return Span(
            id: event.id, cascade: cascade, parent: event.kind == .hopBegan ? event.cause ?? around : around,
            name: name,
            kind: event.kind.name, began: now, attributes: attributes)
    }

    private func delivery(_ event: TraceEvent, _ now: UInt64, in frame: Frame) -> Span {
        let subscription = definitions.subscriptions[event.subject]
        let target = subscription?.target.map { "to \(definitions.name(ofNode: $0))" }
        let handler = subscription?.site.map { "handler \($0.shortDescription)" }
        let isRefresh = Meaning.isRefresh(event, isTerminal: subscription?.isInternal == false)
        var attributes: [(StaticString, String)] = [("weir.subscription", "\(event.subject)")]
        if let site = subscription?.site { attributes.append(("code.file.path", site.file)) }
        if let site = subscription?.site { attributes.append(("code.line.number", "\(site.line)")) }
        return Span(
            id: event.id, cascade: frame.span.cascade, parent: frame.span.id,
            name: target ?? handler ?? "delivery", kind: isRefresh ? "refresh" : "delivery", began: now,
            attributes: attributes)
    }

    private mutating func write(_ closed: Frame, ended now: UInt64) throws {
        var frame = closed
        try closeDelivery(&frame, now)
        try write(frame.span, ended: now)
    }

    private mutating func closeDelivery(_ frame: inout Frame, _ now: UInt64) throws {
        guard let delivery = frame.delivery else { return }
        frame.delivery = nil
        try write(delivery, ended: now)
    }

    // MARK: Writing

    private mutating func write(_ span: Span, ended: UInt64) throws {
        if spans == 0 { beginLine() } else { sink.append(UInt8(ascii: ",")) }
        spans += 1
        sink.append("{\"traceId\":\"")
        hexadecimal(salt)
        hexadecimal(Self.mixed(salt ^ span.cascade))
        sink.append("\",\"spanId\":\"")
        hexadecimal(number(of: span.id))
        if let parent = span.parent {
            sink.append("\",\"parentSpanId\":\"")
            hexadecimal(number(of: parent))
        }
        sink.append("\",\"name\":")
        sink.append(json: span.name)
        sink.append(",\"kind\":1,\"startTimeUnixNano\":\"")
        sink.append(decimal: UInt64(clamping: header.startWallClock) &+ span.began)
        sink.append("\",\"endTimeUnixNano\":\"")
        sink.append(decimal: UInt64(clamping: header.startWallClock) &+ max(ended, span.began))
        sink.append("\",\"attributes\":[")
        attribute("weir.event", span.id.description)
        sink.append(UInt8(ascii: ","))
        attribute("weir.kind", span.kind)
        for (name, text) in span.attributes {
            sink.append(UInt8(ascii: ","))
            attribute(name, text)
        }
        sink.append("]}")
        if spans == Self.mostSpans { endLine() }
        try sink.flushIfFull()
    }

    private func beginLine() {
        sink.append("{\"resourceSpans\":[{\"resource\":{\"attributes\":[")
        let program = header.program.split(separator: "/").last.map(String.init) ?? ""
        attribute("service.name", program.isEmpty ? "unknown_service" : program)
        sink.append(UInt8(ascii: ","))
        attribute("weir.trace", path)
        sink.append("]},\"scopeSpans\":[{\"scope\":{\"name\":\"weir\"},\"spans\":[")
    }

    private mutating func endLine() {
        sink.append("]}]}]}\n")
        spans = 0
    }

    private func attribute(_ name: StaticString, _ text: String) {
        sink.append("{\"key\":\"")
        sink.append(name)
        sink.append("\",\"value\":{\"stringValue\":")
        sink.append(json: text)
        sink.append("}}")
    }

    private func hexadecimal(_ number: UInt64) {
        for shift in stride(from: 60, through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: number >> UInt64(shift)) & 15
            sink.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
        }
    }

    /// The number of a span, never 0.
    private func number(of id: EventID) -> UInt64 {
        max(1, Self.mixed(salt ^ UInt64(id.thread) << 40 ^ id.sequence))
    }

    /// The finalizer of SplitMix64: a bijection.
    private static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
