import Weir

// A media player on an existing audio engine with callbacks: a queue, progress, volume, repeat and a sleep timer. The model is a
// plain class with traced properties.

private struct Track: Equatable, Sendable {
    let title: String
    let seconds: Int
}

/// An engine as a system has it: it calls back while it plays.
@MainActor private final class AudioEngine {
    var onProgress: ((Int) -> Void)?
    var onFinish: (() -> Void)?
    var onStall: ((Bool) -> Void)?
    private var playing: Task<Void, Never>?
    private var position = 0

    func load() {
        pause()
        position = 0
    }

    func play(_ track: Track) {
        playing = Task { [weak self] in
            while let self, !Task.isCancelled, position < track.seconds {
                if track.title == "Stream", position == 1 {
                    onStall?(true)
                    await wait(milliseconds: 20)
                    onStall?(false)
                }
                await wait(milliseconds: 20)
                if Task.isCancelled { return }
                position += 1
                onProgress?(position)
            }
            if !Task.isCancelled { self?.onFinish?() }
        }
    }

    func seek(to second: Int) { position = second }

    func pause() {
        playing?.cancel()
        playing = nil
    }
}

@MainActor private final class PlayerModel {
    enum State: Equatable, Sendable { case stopped, playing, paused, buffering }

    @Traced var queue: [Track] = []
    @Traced var index: Int?
    @Traced var state = State.stopped
    @Traced var position = 0
    @Traced var volume = 50
    @Traced var isMuted = false
    @Traced var repeats = false
    @Traced var sleepsAfterTrack = false
    let engine: AudioEngine

    var current: Track? { index.map { queue[$0] } }

    init(_ engine: AudioEngine) {
        self.engine = engine
        engine.onProgress = { [weak self] second in
            withTracing("engine progress", second) { self?.position = second }
        }
        engine.onFinish = { [weak self] in withTracing("engine finished") { self?.trackFinished() } }
        engine.onStall = { [weak self] isStalled in
            withTracing("engine stalled", isStalled) { self?.state = isStalled ? .buffering : .playing }
        }
    }

    func play(at index: Int) {
        engine.load()
        batch {
            self.index = index
            position = 0
            state = .playing
        }
        engine.play(queue[index])
    }

    func togglePlay() {
        guard let current else { return }
        if state == .playing {
            engine.pause()
            state = .paused
        } else {
            engine.play(current)
            state = .playing
        }
    }

    func next() {
        guard let index, !queue.isEmpty else { return }
        if index + 1 < queue.count {
            play(at: index + 1)
        } else if repeats {
            play(at: 0)
        } else {
            stop()
        }
    }

    func previous() {
        guard let index else { return }
        if position > 2 || index == 0 { seek(to: 0) } else { play(at: index - 1) }
    }

    func seek(to second: Int) {
        engine.seek(to: second)
        position = second
    }

    func stop() {
        engine.load()
        batch {
            index = nil
            position = 0
            state = .stopped
        }
    }

    func move(from source: Int, to destination: Int) {
        var moved = queue
        moved.insert(moved.remove(at: source), at: destination)
        batch {
            if let playing = current { index = moved.firstIndex(of: playing) }
            queue = moved
        }
    }

    private func trackFinished() {
        if sleepsAfterTrack {
            batch {
                sleepsAfterTrack = false
                stop()
            }
        } else {
            next()
        }
    }
}

@MainActor private final class PlayerScreen {
    let title = Label()
    let playButton = Button("Play")
    let next = Button("Next")
    let previous = Button("Previous")
    let elapsed = Label()
    let bar = ProgressBar()
    let volume = Label()
    let upNext = Label()
    let spinner = Label()
    private let bag = DisposeBag()

    init(_ model: PlayerModel) {
        let track: Combiner<Track?> = .combine(model.$index, model.$queue, strategy: .settled) { index, queue in
            index.map { queue[$0] }
        }
        track.subscribe(initial: true) { [weak self] in self?.title.text = $0?.title ?? "Nothing is playing" }
            .disposed(by: bag)
        let upNext: Combiner<[String]> = .combine(model.$index, model.$queue, strategy: .settled) { index, queue in
            queue.dropFirst((index ?? -1) + 1).map(\.title)
        }
        upNext.subscribe(initial: true) { [weak self] in self?.upNext.text = $0.joined(separator: ", ") }.disposed(
            by: bag)
        let fraction: Combiner<Double> = .combine(model.$position, track, strategy: .settled) { position, track in
            track.map { Double(position) / Double($0.seconds) } ?? 0
        }
        fraction.bind(to: bar, \.fraction).disposed(by: bag)
        model.$position.current.map { "0:0\($0)" }.bind(to: elapsed, \.text).disposed(by: bag)
        model.$state.subscribe(initial: true) { [weak self] state in
            self?.playButton.title = state == .playing ? "Pause" : "Play"
            self?.spinner.isHidden = state != .buffering
        }.disposed(by: bag)
        let shownVolume: Combiner<Int> = .combine(model.$volume, model.$isMuted) { $1 ? 0 : $0 }
        shownVolume.subscribe(initial: true) { [weak self] in self?.volume.text = "\($0) %" }.disposed(by: bag)

        playButton.onTap = { [weak model] in withTracing("toggle play") { model?.togglePlay() } }
        next.onTap = { [weak model] in withTracing("next") { model?.next() } }
        previous.onTap = { [weak model] in withTracing("previous") { model?.previous() } }
    }
}

@MainActor private final class ProgressBar {
    var fraction = 0.0
}

@MainActor func player() async {
    let model = PlayerModel(AudioEngine())
    Trace.adopt(model)
    let screen = PlayerScreen(model)
    Trace.track(screen)
    Window.screens = [screen]

    Trace.stimulus("open the album") {
        model.queue = [
            Track(title: "Overture", seconds: 3), Track(title: "Stream", seconds: 3), Track(title: "Aria", seconds: 4),
            Track(title: "Finale", seconds: 2),
        ]
    }
    Trace.stimulus("tap the first track") { model.play(at: 0) }
    await wait(milliseconds: 50)
    screen.playButton.tap()
    await wait(milliseconds: 30)
    screen.playButton.tap()
    await wait(milliseconds: 30)
    for volume in [45, 40, 35] {
        Trace.stimulus("turn the volume") { model.volume = volume }
        await wait(milliseconds: 20)
    }
    Trace.stimulus("mute") { model.isMuted = true }
    await wait(milliseconds: 120)
    Trace.stimulus("unmute") { model.isMuted = false }
    Trace.stimulus("move Finale up") { model.move(from: 3, to: 2) }
    await wait(milliseconds: 40)
    screen.next.tap()
    await wait(milliseconds: 45)
    screen.previous.tap()
    await wait(milliseconds: 45)
    Trace.stimulus("seek") { model.seek(to: 1) }
    await wait(milliseconds: 20)
    Trace.stimulus("sleep after this track") { model.sleepsAfterTrack = true }
    await wait(milliseconds: 200)
    await reach(model.state == .stopped && screen.title.text == "Nothing is playing")
}
