import WeirTrace

/// An expression over the nodes of a trace, as a person writes it: `loginEnabled == true && count(username) > 2`.
///
///     or         = and { "||" and }
///     and        = comparison { "&&" comparison }
///     comparison = operand [ ("==" | "!=" | "<" | "<=" | ">" | ">=") operand ]
///     operand    = "!" operand | "(" or ")" | literal | "changed" "(" node ")" | "count" "(" node ")" | node
///     literal    = "true" | "false" | "nil" | integer | decimal | string
///     node       = name | "#" id | "`" any characters "`"
///
/// A name holds letters, digits, '_', '.', ':' and '$'; every other one stands between backquotes. Strings have Swift's
/// escapes. Names are bound to nodes by `Condition`.
public indirect enum Expression: Sendable, Equatable {
    /// How two values are compared.
    public enum Comparison: String, Sendable, CaseIterable {
        case equal = "=="
        case notEqual = "!="
        case lessOrEqual = "<="
        case greaterOrEqual = ">="
        case less = "<"
        case greater = ">"
    }

    /// A value that is written down.
    case literal(TraceValue)
    /// The value of a node.
    case node(String)
    /// Whether a node changes at this very moment.
    case changed(String)
    /// How often a node has emitted so far.
    case count(String)
    /// Not.
    case not(Expression)
    /// Both.
    case and(Expression, Expression)
    /// Either or both.
    case or(Expression, Expression)
    /// A comparison of two values.
    case compare(Expression, Comparison, Expression)

    /// Reads an expression.
    public init(_ text: String) throws(ExpressionError) {
        var parser = try ExpressionParser(text)
        self = try parser.parse()
    }
}

/// Why a text is no expression, and where.
public struct ExpressionError: Error, Equatable {
    /// What is wrong.
    public enum Problem: Sendable, Equatable {
        /// It ends where a value is expected.
        case endsTooEarly
        /// This stands where a value is expected.
        case noValue(String)
        /// This follows a complete expression.
        case superfluous(String)
        /// A parenthesis that opens here is not closed.
        case notClosed
        /// A string that begins here has no end.
        case stringWithoutEnd
        /// A name that begins here has no end.
        case nameWithoutEnd
        /// A string has this unknown escape.
        case unknownEscape(String)
        /// A number does not fit 64 bits, or is none.
        case badNumber(String)
        /// A single '=', '&' or '|'.
        case singleOperator(String)
        /// A second comparison follows the first.
        case chainedComparison(String)
        /// This takes a node in parentheses.
        case nodeExpected(String)
        /// It is nested too deeply.
        case tooDeep
        /// It has too many operands.
        case tooLong
    }

    /// What is wrong.
    public let problem: Problem
    /// The character at which it is wrong, from 1.
    public let column: Int
}
