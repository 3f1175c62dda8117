import Weir

/// A cold source that runs more often than necessary.
enum ResubscribedSourcePrograms {
    private struct Offline: Error {}

    /// A request that is answered 100 ms later, with the number of times that it was made.
    private static func request(_ scene: Scene, failures: Int = 0) -> Signal<Int> {
        let made = Locked(0)
        let answered = Signal<Int> { [time = scene.time] subscriber in
            let number = made.change { count in
                count += 1
                return count
            }
            return try? time.schedule(after: .milliseconds(100)) {
                if number <= failures { return subscriber.fail(Offline()) }
                subscriber.next(number)
                subscriber.complete()
            }
        }
        return scene.name("load", answered)
    }

    static var all: [Program] { together + oneAfterTheOther }

    private static var together: [Program] {
        [
            Program(
                "Two views of one request", finds: [.init(.resubscribedSource, "Model.load", count: 1)],
                redundant: 0, of: 2
            ) { scene in
                let load = request(scene)
                load.subscribe { _ in }.disposed(by: scene.bag)
                load.subscribe { _ in }.disposed(by: scene.bag)
                scene.time.runUntilIdle()
            },
            Program(
                "Three views, through operators", finds: [.init(.resubscribedSource, "Model.load", count: 2)],
                redundant: 0, of: 3
            ) { scene in
                let load = request(scene)
                let text = scene.name("text", load.map { "\($0)" })
                text.subscribe { _ in }.disposed(by: scene.bag)
                text.subscribe { _ in }.disposed(by: scene.bag)
                load.map { $0 * 2 }.subscribe { _ in }.disposed(by: scene.bag)
                scene.time.runUntilIdle()
            },
            Program("Two views of one shared request", finds: [], redundant: 0, of: 2) { scene in
                let load = request(scene).share()
                load.subscribe { _ in }.disposed(by: scene.bag)
                load.subscribe { _ in }.disposed(by: scene.bag)
                scene.time.runUntilIdle()
            },
            Program("A command makes its request once, whoever listens", finds: [], redundant: 0, of: 2) { scene in
                let load = request(scene)
                let text = scene.name("text", Observable(""))
                let canSave = scene.name("canSave", Observable.combine(text) { !$0.isEmpty })
                let save = scene.name("save", Command<Void, Int>(enabledIf: canSave) { load })
                save.values.subscribe { _ in }
                save.values.subscribe { _ in }
                scene.act("type") { text.value = "a" }
                scene.act("tap Save") { save.execute() }
                scene.time.runUntilIdle()
            },
            Program("Who comes late to a shared request", finds: [], redundant: 0, of: 2) { scene in
                let load = request(scene).share()
                load.subscribe { _ in }.disposed(by: scene.bag)
                scene.time.advance(by: .milliseconds(50))
                load.subscribe { _ in }.disposed(by: scene.bag)
                scene.time.runUntilIdle()
            },
            Program("Who comes after a request that is remembered", finds: [], redundant: 0, of: 2) { scene in
                let load = request(scene).replay(1)
                load.subscribe { _ in }.disposed(by: scene.bag)
                scene.time.runUntilIdle()
                load.subscribe { _ in }.disposed(by: scene.bag)
                scene.time.runUntilIdle()
            },
            Program(
                "A request compared with itself", finds: [.init(.resubscribedSource, "Model.load", count: 1)],
                redundant: 0, of: 1
            ) { scene in
                let load = request(scene)
                load.zip(load) { $0 - $1 }.subscribe { _ in }.disposed(by: scene.bag)
                scene.time.runUntilIdle()
            },
            Program(
                "A request for each tap, whether or not the last one has been answered",
                finds: [.init(.resubscribedSource, "Model.load", count: 1)], redundant: 0, of: 2
            ) { scene in
                let load = request(scene)
                let tapped = scene.name("tapped", Emitter<Void>())
                tapped.flatMap(.merge) { load }.subscribe { _ in }.disposed(by: scene.bag)
                scene.act("tap") { tapped.emit() }
                scene.time.advance(by: .milliseconds(50))
                scene.act("tap") { tapped.emit() }
                scene.time.advance(by: .milliseconds(50))
                scene.draw()
                scene.time.runUntilIdle()
            },
        ]
    }

    private static var oneAfterTheOther: [Program] {
        [
            Program("A request made again when it has been answered", finds: [], redundant: 0, of: 2) { scene in
                let load = request(scene)
                for _ in 1...2 {
                    load.subscribe { _ in }.disposed(by: scene.bag)
                    scene.time.runUntilIdle()
                }
            },
            Program("A request made again when it was given up", finds: [], redundant: 0, of: 1) { scene in
                let load = request(scene)
                load.subscribe { _ in }.dispose()
                load.subscribe { _ in }.disposed(by: scene.bag)
                scene.time.runUntilIdle()
            },
            Program(
                "Only the request of the latest tap", finds: [.init(.cancelledRequest, "Model.latest", count: 2)],
                redundant: 0, of: 1
            ) { scene in
                let load = request(scene)
                let tapped = scene.name("tapped", Emitter<Void>())
                scene.name("latest", tapped.flatMap(.latest) { load }).subscribe { _ in }.disposed(by: scene.bag)
                for _ in 1...3 { scene.act("tap") { tapped.emit() } }
                scene.time.runUntilIdle()
            },
            Program("A request for each tap, one after the other", finds: [], redundant: 0, of: 2) { scene in
                let load = request(scene)
                let tapped = scene.name("tapped", Emitter<Void>())
                tapped.flatMap(.concat) { load }.subscribe { _ in }.disposed(by: scene.bag)
                scene.act("tap") { tapped.emit() }
                scene.act("tap") { tapped.emit() }
                scene.time.advance(by: .milliseconds(100))
                scene.draw()
                scene.time.runUntilIdle()
            },
            Program("A request that is tried again", finds: [], redundant: 0, of: 1) { scene in
                let load = request(scene, failures: 2)
                load.retry(3).subscribe { _ in }.disposed(by: scene.bag)
                scene.time.runUntilIdle()
            },
            Program("A request that fails at once, and is tried again", finds: [], redundant: 0, of: 1) { scene in
                let left = Locked(2)
                let load = scene.name(
                    "load",
                    Signal<Int> { subscriber in
                        let isLast = left.change { count in
                            count -= 1
                            return count < 0
                        }
                        if isLast { subscriber.next(1) } else { subscriber.fail(Offline()) }
                        return nil
                    })
                load.retry(3).subscribe { _ in }.disposed(by: scene.bag)
            },
            Program("A value that is there at once, for two", finds: [], redundant: 0, of: 2) { scene in
                let one = scene.name("one", Signal.just(1))
                one.subscribe { _ in }
                one.subscribe { _ in }
            },
        ]
    }
}
