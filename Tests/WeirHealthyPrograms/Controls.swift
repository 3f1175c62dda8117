import Weir

// The controls of the programs' screens, and the window that holds the open ones, as an app's window does.

@MainActor final class Label {
    var text = ""
    var isHidden = false
}

@MainActor final class Button {
    var title = ""
    var isEnabled = true
    var isHidden = false
    var onTap: (() -> Void)?

    init(_ title: String = "") { self.title = title }

    /// The user taps the button: nothing happens while it is disabled.
    func tap() { Trace.stimulus("tap \(title)") { if isEnabled { onTap?() } } }
}

@MainActor final class TextField {
    var text = ""
    /// The maximum number of letters; longer texts are cut.
    var limit = Int.max
    let edited = Emitter<String>()

    func type(_ text: String) {
        Trace.stimulus("type") {
            self.text = String(text.prefix(limit))
            edited.emit(self.text)
        }
    }
}

@MainActor enum Window {
    static var screens: [AnyObject] = []
}

/// Lets the program's queues and timers work.
func wait(milliseconds: Int) async { try? await Task.sleep(for: .milliseconds(milliseconds)) }

/// Waits until `condition` holds, ten seconds at most: a busy machine is no reason to fail.
@MainActor func reach(_ condition: @autoclosure () -> Bool, line: UInt = #line) async {
    for _ in 0..<1_000 where !condition() { await wait(milliseconds: 10) }
    precondition(condition(), "the state of line \(line) was not reached")
}
