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
/// A name holds letters, digits, '_', '.', ':' and '$'; any other name is written between backquotes. Strings have Swift's
/// escapes. `Condition` binds names to nodes.
package indirect enum Expression: Sendable, Equatable {
    /// How two values are compared.
    package enum Comparison: String, Sendable, CaseIterable {
        case equal = "=="
        case notEqual = "!="
        case lessOrEqual = "<="
        case greaterOrEqual = ">="
        case less = "<"
        case greater = ">"
    }

    /// A literal value.
    case literal(TraceValue)
    /// The value of a node.
    case node(String)
    /// Whether a node changes at this very moment.
    case changed(String)
    /// How often a node has emitted so far.
    case count(String)
    /// Negation.
    case not(Expression)
    /// Conjunction.
    case and(Expression, Expression)
    /// Disjunction.
    case or(Expression, Expression)
    /// A comparison of two values.
    case compare(Expression, Comparison, Expression)

    /// Reads an expression.
    package init(_ text: String) throws(ExpressionError) {
        var parser = try ExpressionParser(text)
        self = try parser.parse()
    }
}

/// Why a text is not an expression, and where it fails.
package struct ExpressionError: Error, Equatable {
    /// The kinds of error.
    package enum Problem: Sendable, Equatable {
        /// The text ends where a value is expected.
        case endsTooEarly
        /// This text is where a value is expected.
        case noValue(String)
        /// This text follows a complete expression.
        case superfluous(String)
        /// A parenthesis that opens here is not closed.
        case notClosed
        /// A string that begins here has no end.
        case stringWithoutEnd
        /// A name that begins here has no end.
        case nameWithoutEnd
        /// A string has this unknown escape.
        case unknownEscape(String)
        /// A number is malformed or does not fit 64 bits.
        case badNumber(String)
        /// A single '=', '&' or '|'.
        case singleOperator(String)
        /// A second comparison follows the first.
        case chainedComparison(String)
        /// This function takes a node in parentheses.
        case nodeExpected(String)
        /// The expression is nested too deeply.
        case tooDeep
        /// The expression has too many operands.
        case tooLong
    }

    /// The kind of error.
    package let problem: Problem
    /// The position of the wrong character, from 1.
    package let column: Int
}
