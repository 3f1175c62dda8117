import Weir

/// A text field without a screen.
@MainActor final class TextField {
    enum Color { case black, red }

    var text = ""
    var color = Color.black { didSet { colorings += 1 } }
    /// How often the color was set, even to the same one.
    private(set) var colorings = 0
    /// The text after each edit by the user.
    let edited: Emitter<String>

    init(privacy: TracePrivacy = .public) { edited = Emitter(privacy: privacy) }

    /// The user changes the text.
    func type(_ text: String) {
        self.text = text
        edited.emit(text)
    }
}
