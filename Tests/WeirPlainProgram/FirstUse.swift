import Dispatch
import Observation
import Weir

/// A part of Weir that a program uses first, and mostly alone.
@available(macOS 14, *)
enum FirstUse: String {
    case callback, callbackOfThread, callbackAfterStop, property, probe, sequence, stream, throwingStream, task, carried
    case wrappedWrite, wrappedRead, observed, rendered, emitter, cold, stimulus, frame, checkpoint, isRecording, path

    @MainActor
    func run() async {
        switch self {
        case .callback: withTracing("touch", 1) {}
        case .callbackOfThread:
            let isDone = DispatchSemaphore(value: 0)
            for _ in 0..<2 {
                DispatchQueue.global().async {
                    withTracing("touch", 1) {}
                    isDone.signal()
                }
            }
            for _ in 0..<2 { isDone.wait() }
        case .callbackAfterStop:
            Trace.stop()
            withTracing("touch", 1) {}
        case .property: Basket().count = 1
        case .probe: TraceProbe("feed").subscribed().emitted(1)
        case .sequence:
            let numbers = AsyncStream<Int> { numbers in
                numbers.yield(1)
                numbers.finish()
            }
            for await _ in numbers.traced("numbers") {}
        case .stream:
            let numbers = AsyncStream<Int>.traced("numbers") { numbers in
                numbers.yield(1)
                numbers.finish()
            }
            for await _ in numbers {}
        case .throwingStream:
            let numbers = AsyncThrowingStream<Int, any Error>.traced("numbers") { numbers in
                numbers.yield(1)
                numbers.finish()
            }
            try? await numbers.forEach { _ in }
        case .task: await Trace.task { withTracing("touch", 1) {} }.value
        case .carried: Trace.carryingCause { withTracing("touch", 1) {} }()
        case .wrappedWrite: ofModel { Trace.wrap($0).number = 1 }
        case .wrappedRead: ofModel { _ = Trace.wrap($0).isOdd }
        case .observed:
            ofModel { model in
                Trace.observe(model, \.number)
                model.number = 1
                // A write is reported when the next one comes, at the latest.
                model.number = 2
            }
        case .rendered: ofModel { model in Trace.render("body") { [weak model] in model?.number } }
        case .emitter: Emitter<Int>().emit(1)
        case .cold: Signal.just(1).map { $0 + 1 }.subscribe { _ in }
        case .stimulus: Trace.stimulus("tap") {}
        case .frame: Trace.frame()
        case .checkpoint: Trace.checkpoint("closed")
        case .isRecording: if Trace.isRecording { withTracing("touch", 1) {} }
        case .path: if Trace.path != nil { withTracing("touch", 1) {} }
        }
    }
}

@available(macOS 14, *)
@Observable
final class Counter {
    var number = 0
    var isOdd: Bool { number % 2 == 1 }
}

/// Runs `use` with a model, where there are observable ones.
@available(macOS 14, *)
private func ofModel(_ use: (Counter) -> Void) {
    let model = Counter()
    use(model)
    withExtendedLifetime(model) {}
}
