import CWeir

/// Weir's messages on a program's standard error: one sentence, on its own line.
package enum Complaint {
    /// Writes a sentence without harming the program: if standard error is closed or full, the sentence is dropped.
    package static func say(_ sentence: String) {
        let line = Array("weir: \(PrintableText.escaped(sentence))\n".utf8)
        weir_say(line, line.count)
    }
}
