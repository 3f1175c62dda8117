import CWeir

/// What Weir says on a program's standard error: one sentence, on a line of its own.
package enum Complaint {
    /// Never harms the program: where standard error is closed or full, nothing is said.
    package static func say(_ sentence: String) {
        let line = Array("weir: \(PrintableText.escaped(sentence))\n".utf8)
        weir_say(line, line.count)
    }
}
