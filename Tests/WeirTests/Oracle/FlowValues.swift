import Weir

/// The values of a random flow that are not numbers, in every form that a trace supports.
final class FlowValues {
    private struct Point { var x: Int }
    private struct Tag: Hashable { var name: String }
    private enum State { case idle, busy, loaded(Point), failed(Int) }
    private enum Choice: Hashable { case none, some(Int) }
    private enum Failure: Error { case offline, code(Int) }
    private enum Refusal: Error { case offline }

    private var random: SeededGenerator
    private var points: [Observable<Point>] = []
    private var tags: [Observable<Tag>] = []
    private var texts: [Observable<String>] = []
    private var doubles: [Observable<Double>] = []
    private var options: [Observable<Int?>] = []
    private var moments: [Observable<Void>] = []
    private var states: [Observable<State>] = []
    private var choices: [Observable<Choice>] = []
    private var errors: [Observable<(any Error)?>] = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    func dissolve() {
        (points, tags, texts) = ([], [], [])
        (doubles, options, moments) = ([], [], [])
        (states, choices, errors) = ([], [], [])
    }

    func text() -> Observable<String>? { pick(texts) }

    // MARK: One or all

    func make() {
        make(Int.random(in: 0..<9, using: &random), isPrivate: Int.random(in: 0..<8, using: &random) == 0)
    }

    func makeAll() { for form in 0..<9 { make(form, isPrivate: false) } }

    func subscribe(_ hear: @escaping @Sendable () -> Void) -> [Disposable] {
        subscribe(Int.random(in: 0..<9, using: &random), hear)
    }

    func subscribeAll(_ hear: @escaping @Sendable () -> Void) -> [Disposable] {
        (0..<9).flatMap { subscribe($0, hear) }
    }

    func write() { write(Int.random(in: 0..<9, using: &random)) }

    func writeAll() { for form in 0..<9 { write(form) } }

    // MARK: Of one form

    private func make(_ form: Int, isPrivate: Bool) {
        switch form {
        case 0: points.append(Observable(Point(x: 0)))
        case 1: tags.append(Observable(Tag(name: "a")))
        case 2: texts.append(Observable("text", privacy: isPrivate ? .private : .public))
        case 3: doubles.append(Observable(0))
        case 4: options.append(Observable(nil))
        case 5: states.append(Observable(.idle))
        case 6: choices.append(Observable(.none))
        case 7: errors.append(Observable(nil))
        default: moments.append(Observable(()))
        }
    }

    private func subscribe(_ form: Int, _ hear: @escaping @Sendable () -> Void) -> [Disposable] {
        switch form {
        case 0: points.map { $0.subscribe { _ in hear() } }
        case 1: tags.map { $0.subscribe(initial: true) { _ in hear() } }
        case 2: texts.map { $0.map { String($0.prefix(70)) }.subscribe { _ in hear() } }
        case 3: doubles.map { $0.map { $0 * 1 }.subscribe { _ in hear() } }
        case 4:
            options.map { $0.map { $0.map { Point(x: $0) } }.subscribe { _ in hear() } }
                + options.map { $0.map { _ in () }.subscribe { _ in hear() } }
        case 5: states.map { $0.subscribe { _ in hear() } }
        case 7: errors.map { $0.subscribe { _ in hear() } }
        case 6: choices.map { $0.map(Optional.some).subscribe { _ in hear() } }
        default: moments.map { $0.subscribe { _ in hear() } }
        }
    }

    private func write(_ form: Int, ) {
        let long = String(repeating: "x", count: 80)
        switch form {
        case 0:
            let value = Point(x: pick([0, 1])!)
            pick(points)?.value = value
        case 1:
            let value = Tag(name: pick(["a", "b"])!)
            pick(tags)?.value = value
        case 2:
            let value = pick(["a", long + "1", long + "2"])!
            pick(texts)?.value = value
        case 3:
            let value = pick([0.0, -0.0, 1, .nan])!
            pick(doubles)?.value = value
        case 4:
            let value: Int? = pick([nil, 1, 2])!
            pick(options)?.value = value
        case 5:
            let value: State = pick([.idle, .busy, .loaded(Point(x: 1)), .failed(1), .failed(2)])!
            pick(states)?.value = value
        case 7:
            let value: (any Error)? = pick([nil, Failure.offline, Failure.code(1), Refusal.offline])!
            pick(errors)?.value = value
        case 6:
            let value: Choice = pick([.none, .some(1), .some(2)])!
            pick(choices)?.value = value
        default: pick(moments)?.value = ()
        }
    }

    // The generator is idle before anything is written, because handlers use it, too.
    private func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }
}
