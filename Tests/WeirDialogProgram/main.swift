// A handler that runs the main thread's run loop, as a dialog does that is shown at once; see `SettlingTests`.
import Foundation
import Weir

MainActor.assumeIsolated {
    let button = Observable(0), count = Observable(1)
    let label = Observable.combine(count, strategy: .settled) { "\($0)" }
    var shown: [String] = []
    label.subscribe { shown.append($0) }
    button.subscribe { _ in
        for number in 2...3 {
            let timer = Timer.scheduledTimer(withTimeInterval: 0.001, repeats: true) { _ in count.value = number }
            let end = Date.now + 60
            while shown.count < number - 1, Date.now < end { _ = RunLoop.main.run(mode: .default, before: .now + 0.01) }
            timer.invalidate()
            print("in the dialog: \(shown)")
        }
    }
    button.value = 1
    print("after it: \(shown)")
}
