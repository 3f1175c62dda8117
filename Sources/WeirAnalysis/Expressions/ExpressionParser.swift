import WeirTrace

/// Reads an expression by recursive descent; `Expression` has the grammar.
struct ExpressionParser {
    private var scanner: ExpressionScanner
    private var token: ExpressionToken
    private var depth = 0
    private var operands = 0
    private static let deepest = 100
    // Operands joined by '&&' and '
    // ' form a tree as deep as their number, which recursion walks.
    private static let mostOperands = 1000

    init(_ text: String) throws(ExpressionError) {
        scanner = ExpressionScanner(text)
        token = try scanner.next()
    }

    mutating func parse() throws(ExpressionError) -> Expression {
        let expression = try or()
        guard token.content == .end else { throw error(.superfluous(token.text)) }
        return expression
    }

    private mutating func or() throws(ExpressionError) -> Expression {
        var left = try and()
        while try accept("||") { left = .or(left, try and()) }
        return left
    }

    private mutating func and() throws(ExpressionError) -> Expression {
        var left = try comparison()
        while try accept("&&") { left = .and(left, try comparison()) }
        return left
    }

    private mutating func comparison() throws(ExpressionError) -> Expression {
        let left = try operand()
        guard let comparison = comparisonHere else { return left }
        try advance()
        let right = try operand()
        guard comparisonHere == nil else { throw error(.chainedComparison(token.text)) }
        return .compare(left, comparison, right)
    }

    private var comparisonHere: Expression.Comparison? {
        guard case .symbol(let symbol) = token.content else { return nil }
        return Expression.Comparison(rawValue: symbol)
    }

    private mutating func operand() throws(ExpressionError) -> Expression {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw error(.tooDeep) }
        operands += 1
        guard operands <= Self.mostOperands else { throw error(.tooLong) }
        let here = token
        switch here.content {
        case .literal(let value):
            try advance()
            return .literal(value)
        case .quotedName(let name):
            try advance()
            return .node(name)
        case .name(let name):
            try advance()
            // Nodes may have these names too: only a parenthesis makes it a function.
            guard name == "changed" || name == "count", token.content == .symbol("(") else { return .node(name) }
            let node = try parenthesized { (parser) throws(ExpressionError) in try parser.nodeName(of: here) }
            return name == "changed" ? .changed(node) : .count(node)
        case .symbol("!"):
            try advance()
            return .not(try operand())
        case .symbol("("): return try parenthesized { (parser) throws(ExpressionError) in try parser.or() }
        case .symbol: throw error(.noValue(here.text))
        case .end: throw error(.endsTooEarly)
        }
    }

    private mutating func parenthesized<Content>(
        _ content: (inout Self) throws(ExpressionError) -> Content
    ) throws(ExpressionError) -> Content {
        let start = token.column
        try advance()
        let result = try content(&self)
        guard try accept(")") else {
            if token.content == .end { throw ExpressionError(problem: .notClosed, column: start) }
            throw error(.superfluous(token.text))
        }
        return result
    }

    private mutating func nodeName(of function: ExpressionToken) throws(ExpressionError) -> String {
        switch token.content {
        case .name(let name), .quotedName(let name):
            try advance()
            return name
        default: throw error(.nodeExpected(function.text))
        }
    }

    private mutating func accept(_ symbol: String) throws(ExpressionError) -> Bool {
        guard token.content == .symbol(symbol) else { return false }
        try advance()
        return true
    }

    private mutating func advance() throws(ExpressionError) { token = try scanner.next() }

    private func error(_ problem: ExpressionError.Problem) -> ExpressionError {
        ExpressionError(problem: problem, column: token.column)
    }
}
