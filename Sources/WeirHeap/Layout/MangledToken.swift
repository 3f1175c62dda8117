/// A part of a mangled name: an operator or operand of its grammar, without the tree that it builds.
struct MangledToken {
    enum Kind {
        /// A reference to a descriptor.
        case symbolic
        /// Something named before, which is named again.
        case substitution
        /// A type of the standard library.
        case standard
        case builtin
        case generic
        /// A function type as it is at run time: types and conventions of what it takes and gives.
        case lowered
        /// What begins with an X; `letter` is the second.
        case extended
        case other
    }

    var kind: Kind
    /// Places in the name.
    var start: UInt
    var end: UInt
    var letter: UInt8 = 0
    /// Of a generic parameter.
    var depth = 0
    var index = 0
    /// Of a lowered function type: how many types come before it.
    var operands = 0
    /// It has a context, beside the code.
    var isThick = false
    /// It owns its context.
    var escapes = false
    /// It has no substitutions of its own.
    var isSimple = true

    /// The bytes it takes.
    var length: UInt { end &- start }

    /// Whether it is that single letter.
    func isLetter(_ scalar: Unicode.Scalar) -> Bool { kind == .other && letter == UInt8(ascii: scalar) }
}
