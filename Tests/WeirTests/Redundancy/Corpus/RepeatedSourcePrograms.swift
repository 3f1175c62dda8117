import Weir

/// Functions that make a source for each call.
enum RepeatedSourcePrograms {
    /// The price of an article, 100 ms later.
    private static func price(of article: Int, _ scene: Scene) -> Signal<Int> { later(article * 10, scene) }

    private static func later<Value: Sendable>(_ value: Value, _ scene: Scene) -> Signal<Value> {
        let source = Signal<Value> { [time = scene.time] subscriber in
            try? time.schedule(after: .milliseconds(100)) {
                subscriber.next(value)
                subscriber.complete()
            }
        }
        return scene.name("price", source)
    }

    static var all: [Program] { repeated + different }

    private static var repeated: [Program] {
        [
            Program(
                "Two views ask for the same price", finds: [.init(.repeatedSource, "Model.price", count: 1)],
                redundant: 0, of: 2
            ) { scene in
                price(of: 1, scene).subscribe { _ in }.disposed(by: scene.bag)
                price(of: 1, scene).subscribe { _ in }.disposed(by: scene.bag)
                scene.time.runUntilIdle()
            },
            Program(
                "A second view asks while the first one waits",
                finds: [.init(.repeatedSource, "Model.price", count: 1)],
                redundant: 0, of: 3
            ) { scene in
                price(of: 1, scene).map { "\($0) €" }.subscribe { _ in }.disposed(by: scene.bag)
                scene.time.advance(by: .milliseconds(50))
                price(of: 2, scene).subscribe { _ in }.disposed(by: scene.bag)
                price(of: 1, scene).subscribe { _ in }.disposed(by: scene.bag)
                scene.time.runUntilIdle()
            },
            Program(
                "Each view needs a connection of its own",
                finds: [.init(.repeatedSource, "Model.price", count: 1, meantSo: "a connection for each view")],
                redundant: 0, of: 2
            ) { scene in
                for _ in 1...2 {
                    price(of: 1, scene).intended(.repeatedSource, because: "a connection for each view")
                        .subscribe { _ in }.disposed(by: scene.bag)
                }
                scene.time.runUntilIdle()
            },
        ]
    }

    private static var different: [Program] {
        [
            Program("Two views ask for different prices", finds: [], redundant: 0, of: 2) { scene in
                for article in 1...2 { price(of: article, scene).subscribe { _ in }.disposed(by: scene.bag) }
                scene.time.runUntilIdle()
            },
            Program("A view asks again after the answer", finds: [], redundant: 0, of: 2) { scene in
                for _ in 1...2 {
                    price(of: 1, scene).subscribe { _ in }.disposed(by: scene.bag)
                    scene.time.runUntilIdle()
                }
            },
            Program("Both answers are 'yes'", finds: [], redundant: 0, of: 2) { scene in
                for _ in 1...2 { later(true, scene).subscribe { _ in }.disposed(by: scene.bag) }
                scene.time.runUntilIdle()
            },
            Program("Two taps ask for prices that are equal", finds: [], redundant: 0, of: 2) { scene in
                let tapped = scene.name("tapped", Emitter<Int>())
                tapped.flatMap(.merge) { article in
                    price(of: article / 10, scene).map { "\(article) costs \($0)" }
                }.subscribe { _ in }.disposed(by: scene.bag)
                for article in 11...12 {
                    scene.act("tap") { tapped.emit(article) }
                    scene.time.advance(by: .milliseconds(50))
                }
                scene.time.runUntilIdle()
            },
        ]
    }
}
