import Foundation
import Weir

/// Nodes that several threads drive.
enum CrossThreadPrograms {
    static var all: [Program] {
        [
            Program(
                "Written by the main thread, then by another", finds: [.init(.crossThread, "Model.progress", count: 2)],
                redundant: 0, of: 3
            ) { scene in
                let progress = scene.name("progress", Observable(0))
                progress.subscribe { _ in }
                scene.act("begin") { progress.value = 1 }
                for percent in [50, 100] {
                    scene.act("load") { scene.onAnotherThread { progress.value = percent } }
                }
            },
            Program(
                "What is computed from it changes thread, too",
                finds: [.init(.crossThread, "Model.progress", count: 1), .init(.crossThread, "Model.text", count: 1)],
                redundant: 0, of: 2
            ) { scene in
                let progress = scene.name("progress", Observable(0))
                let text = scene.name("text", Observable.combine(progress) { "\($0) %" })
                text.subscribe { _ in }
                scene.act("begin") { progress.value = 1 }
                scene.act("load") { scene.onAnotherThread { progress.value = 50 } }
            },
            Program(
                "Operators are of no thread of their own", finds: [.init(.crossThread, "Model.progress", count: 1)],
                redundant: 0, of: 2
            ) { scene in
                let progress = scene.name("progress", Observable(0))
                let text = scene.name("text", progress.map { "\($0) %" })
                text.subscribe { _ in }.disposed(by: scene.bag)
                scene.act("begin") { progress.value = 1 }
                scene.act("load") { scene.onAnotherThread { progress.value = 50 } }
            },
            Program(
                "Emitted by both", finds: [.init(.crossThread, "Model.line", count: 1)], redundant: 0, of: 3
            ) { scene in
                let line = scene.name("line", Emitter<String>())
                line.subscribe { _ in }
                scene.act("begin") { line.emit("begins") }
                scene.act("load") { scene.onAnotherThread { line.emit("loads") } }
                scene.act("end") { line.emit("ends") }
            },
            Program("Emitted by another thread, written after a hop", finds: [], redundant: 0, of: 3) { scene in
                let loaded = scene.name("loaded", Emitter<Int>())
                let progress = scene.name("progress", Observable(0))
                progress.subscribe { _ in }
                loaded.deliver(on: scene.time).subscribe { progress.value = $0 }.disposed(by: scene.bag)
                scene.act("begin") { progress.value = 1 }
                scene.act("load") {
                    scene.onAnotherThread { loaded.emit(50) }
                    scene.time.runUntilIdle()
                }
            },
            Program("All on one other thread", finds: [], redundant: 0, of: 2) { scene in
                let progress = scene.name("progress", Observable(0))
                progress.subscribe { _ in }
                scene.onAnotherThread {
                    for percent in [50, 100] {
                        progress.value = percent
                        Trace.frame()
                    }
                }
            },
            Program("The main queue's work, on whichever threads", finds: [], redundant: 0, of: 3) { scene in
                let progress = scene.name("progress", Observable(0))
                progress.subscribe { _ in }
                for percent in [10, 50, 100] {
                    scene.onMainQueue { progress.value = percent }
                    scene.draw()
                }
            },
            Program(
                "The main queue's work, and what its thread does itself",
                finds: [.init(.crossThread, "Model.progress", count: 1)], redundant: 0, of: 2
            ) { scene in
                let progress = scene.name("progress", Observable(0))
                progress.subscribe { _ in }
                scene.onMainQueue { progress.value = 50 }
                scene.draw()
                scene.onAnotherThread { progress.value = 100 }
            },
            Program("An actor's work, each time on another thread", finds: [], redundant: 0, of: 3) { scene in
                let progress = scene.name("progress", Observable(0))
                progress.subscribe { _ in }
                let loader = Loader()
                for percent in [10, 50, 100] {
                    scene.inTask { await loader.run { Trace.stimulus("load") { progress.value = percent } } }
                    scene.draw()
                }
            },
            Program(
                "Two actors drive one node", finds: [.init(.crossThread, "Model.progress", count: 2)], redundant: 0,
                of: 3
            ) { scene in
                let progress = scene.name("progress", Observable(0))
                progress.subscribe { _ in }
                let (one, other) = (Loader(), Loader())
                for (loader, percent) in [(one, 10), (other, 50), (other, 100)] {
                    scene.inTask { await loader.run { progress.value = percent } }
                    scene.draw()
                }
            },
            Program(
                "An actor and the main actor", finds: [.init(.crossThread, "Model.progress", count: 1)], redundant: 0,
                of: 3
            ) { scene in
                let progress = scene.name("progress", Observable(0))
                progress.subscribe { _ in }
                let loader = Loader()
                scene.inTask { await loader.run { batch { progress.value = 10 } } }
                scene.draw()
                scene.inTask { await MainActor.run { progress.value = 50 } }
                scene.draw()
                scene.inTask { await loader.run { progress.value = 100 } }
            },
            Program(
                "Written by a tap, then on the thread pool in a stimulus that awaits",
                finds: [.init(.crossThread, "Model.progress", count: 1)], redundant: 0, of: 2
            ) { scene in
                let progress = scene.name("progress", Observable(0))
                progress.subscribe { _ in }
                scene.onMainQueue { Trace.stimulus("tap") { progress.value = 1 } }
                scene.draw()
                scene.inTask {
                    await Trace.stimulus("load") {
                        await Task.yield()
                        progress.value = 2
                    }
                }
            },
            Program(
                "In batches of a stimulus that awaits, too", finds: [.init(.crossThread, "Model.progress", count: 1)],
                redundant: 0, of: 2
            ) { scene in
                let progress = scene.name("progress", Observable(0))
                progress.subscribe { _ in }
                scene.onMainQueue { Trace.stimulus("tap") { progress.value = 1 } }
                scene.draw()
                scene.inTask {
                    await Trace.stimulus("load") {
                        await Task.yield()
                        batch { progress.value = 2 }
                    }
                }
            },
            Program(
                "An actor's work in stimuli that await, each time on another thread", finds: [], redundant: 0, of: 3
            ) { scene in
                let progress = scene.name("progress", Observable(0))
                progress.subscribe { _ in }
                let loader = Loader()
                for percent in [10, 50, 100] {
                    scene.inTask { await Trace.stimulus("load") { await loader.run { progress.value = percent } } }
                    scene.draw()
                }
            },
            Program("Two threads with a node each", finds: [], redundant: 0, of: 2) { scene in
                let (here, there) = (scene.name("here", Observable(0)), scene.name("there", Observable(0)))
                here.subscribe { _ in }
                there.subscribe { _ in }
                scene.act("set") {
                    here.value = 1
                    scene.onAnotherThread { there.value = 1 }
                }
            },
            Program("That another thread subscribes is no emission", finds: [], redundant: 0, of: 2) { scene in
                let progress = scene.name("progress", Observable(0))
                scene.onAnotherThread { progress.subscribe(initial: true) { _ in } }
                scene.draw()
                scene.act("begin") { progress.value = 1 }
            },
        ]
    }
}

/// An actor whose work runs on a new thread each time.
private actor Loader {
    private final class NewThreads: SerialExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            Thread { job.runSynchronously(on: self.asUnownedSerialExecutor()) }.start()
        }

        func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
    }

    private let threads = NewThreads()
    nonisolated var unownedExecutor: UnownedSerialExecutor { threads.asUnownedSerialExecutor() }

    func run(_ work: @Sendable () -> Void) { work() }
}
