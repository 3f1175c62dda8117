import Weir

/// A text field without a screen.
@MainActor final class TextField {
    enum Color { case black, red }

    var text = ""
    var color = Color.black { didSet { colorings += 1 } }
    /// How often the color was set, whether or not to another one.
    private(set) var colorings = 0
    /// What the user has made of the text.
    let edited: Emitter<String>

    init(privacy: TracePrivacy = .public) { edited = Emitter(privacy: privacy) }

    /// The user changes the text.
    func type(_ text: String) {
        self.text = text
        edited.emit(text)
    }
}
