import Weir

/// A track that plays: a slider, the seconds, a waveform.
enum PlayerScreen {
    private final class PlayerModel {
        let track = Observable("")
        let position = Observable(0)
        let seconds: Signal<Int>
        let upNext: Combiner<String>

        init() {
            seconds = position.map { $0 / 1000 }
            upNext = Observable.combine(track) { "after \($0)" }
        }
    }

    private final class CuredPlayerModel {
        let track = Observable("")
        let position = Observable(0)
        let shown: Signal<Int>
        let seconds: Signal<Int>

        init(on scheduler: some Scheduler) {
            shown = position.throttle(.milliseconds(17), on: scheduler).share()
            seconds = shown.map { $0 / 1000 }
        }
    }

    static var all: [Program] {
        [
            Program(
                "A player that is faster than the screen",
                finds: [
                    .init(.burst, "PlayerModel.position", count: 3), .init(.burst, "PlayerModel.seconds", count: 1),
                    .init(.repeatedValue, "PlayerModel.seconds", count: 2),
                    .init(.noopEvaluation, "PlayerModel.seconds", count: 2),
                    .init(.slowRefresh, "PlayerModel.track", count: 1),
                    .init(.unobserved, "PlayerModel.upNext", count: 1),
                ], redundant: 5, of: 9
            ) { scene in
                let model = scene.adopt(PlayerModel())
                model.position.subscribe { _ in }
                model.seconds.subscribe { _ in }.disposed(by: scene.bag)
                model.track.subscribe { _ in scene.wait(milliseconds: 40) }
                scene.act("choose") { model.track.value = "Odoru Ponpokorin" }
                scene.act("play") {
                    for time in stride(from: 250, through: 1000, by: 250) { model.position.value = time }
                }
            },
            Program("The same player, once in a frame", finds: [], redundant: 0, of: 5) { scene in
                let model = scene.adopt(CuredPlayerModel(on: scene.time))
                model.shown.subscribe { _ in }.disposed(by: scene.bag)
                model.seconds.subscribe { _ in }.disposed(by: scene.bag)
                model.track.subscribe { _ in scene.wait(milliseconds: 4) }
                scene.act("choose") { model.track.value = "Odoru Ponpokorin" }
                scene.act("play") {
                    for time in stride(from: 250, through: 1000, by: 250) {
                        model.position.value = time
                        scene.time.advance(by: .milliseconds(4))
                    }
                }
                scene.time.advance(by: .milliseconds(20))
                scene.draw()
            },
        ]
    }
}
