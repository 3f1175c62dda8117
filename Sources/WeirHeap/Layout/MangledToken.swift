/// A part of a mangled name: an operator or operand of its grammar, without the tree that they form.
struct MangledToken {
    enum Kind {
        /// A reference to a descriptor.
        case symbolic
        /// A repeated reference to something named before.
        case substitution
        /// A type of the standard library.
        case standard
        case builtin
        case generic
        /// A function type at run time: the types and conventions of its parameters and results.
        case lowered
        /// An operator that begins with X; `letter` is its second letter.
        case extended
        case other
    }

    var kind: Kind
    /// Indexes of bytes in the name.
    var start: UInt
    var end: UInt
    var letter: UInt8 = 0
    /// The depth of a generic parameter; `index` belongs to it.
    var depth = 0
    var index = 0
    /// The number of types that precede a lowered function type.
    var operands = 0
    /// Whether the function has a context besides its code.
    var isThick = false
    /// Whether the function owns its context.
    var escapes = false
    /// Whether the function type has no substitutions of its own.
    var isSimple = true
    /// Whether a generic signature and its arguments, a list of types that begins with `y`, follow those types.
    var isSubstituted = false

    /// The number of bytes.
    var length: UInt { end &- start }

    /// Whether the token is this single letter.
    func isLetter(_ scalar: Unicode.Scalar) -> Bool { kind == .other && letter == UInt8(ascii: scalar) }
}
