//
// Each closure captures values whose types follow from generic parameters in one of many ways, and the object that keeps it:
// a cycle that a walk must find, or else say what it could not analyse. No two closures capture the same forms in the same
// context.

import Foundation

/// A seeded generator: xorshift64*, from Vigna, 'An experimental exploration of Marsaglia's xorshift generators, scrambled', 2016.
struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 2_685_821_657_736_338_717
    }
}

/// Declares a local value that a closure captures; `S` is a generic parameter, `s` its value.
struct Form {
    let declaration: String
    /// How the closure names it in its list of captures, if it must.
    var inList: String?
    /// Whether the runtime of Swift 6.2 can make it in a function with a parameter pack: it crashes on key paths there.
    var isPossibleWithPack: Bool { !declaration.contains("\\") }

    init(_ declaration: String, inList: String? = nil) {
        self.declaration = declaration
        self.inList = inList
    }

    /// The forms that a `let` may have, and most of them a `var`, too.
    static let values = [
        "s", "s.item", "[s.item]", "Optional(s.item)", "(s.item, 1)", "[\"key\": s.item]", "[\"key\": [s.item]]",
        "S.self",
        "S.Item.self", "type(of: s.item)", "[S.Item].self", "(S.Item, S.Next).self",
        "Pair(first: s.item, second: s.next)",
        "Pair(first: s.failure, second: [s.next.item])", "Box(s.item)", "Box([s.item])", "Box(s)", "[Box(s.item)]",
        "s as any Source", "s.item as Any", "[s.item as Any]", "hidden(s)", "hidden(s.next)", "\\S.item",
        "\\S.next.item",
        "Result<S.Item, S.Failure>.success(s.item)", "Result<S.Next, S.Failure>.failure(s.failure)",
        "Choice<S.Item>.many([s.item])", "Choice<S.Item>.pair(s.item, Box(s.item))", "Choice<S.Next>.nothing",
        "Choice<S.Item>.nested(.one(s.item))", "s.next", "s.next.next", "s.next.item", "s.failure",
        "s.failure as any Error",
        "[s.item].lazy.map { _ in s.next }", "[s.item].makeIterator()", "AnyIterator([s.item].makeIterator())",
        "ContiguousArray([s.item])", "[s.item][...]", "zip([s.item], [s.next])", "[s.item].enumerated()",
        "[s.item].reversed()", "repeatElement(s.item, count: 2)", "Unmanaged.passUnretained(Box(s.item))",
        "Optional<(S.Item, S.Failure?)>.none", "Optional((s.item, Optional(s.failure)))",
        "(s.item, (s.next, [s.item]))",
        "(name: \"name\", value: s.item)", "Optional(Optional(s.item))", "Wrapper(s.item)", "Wrapper(Wrapper(s.next))",
        "Wrapper(s).slot", "Wrapper<S.Item>.Kind.some(s.item)", "Wrapper<S>.Inner(first: s, second: [s.item])",
        "Node()", "7", "\"text\"", "[Node()]", "Several(s.item, s.next, 1)", "Several(s, [s.item])",
        "Several<S.Item>(s.item)",
        "Derived(s.item)", "Derived(s) as Box<S>", "Derived(s) as AnyObject", "EmptyCollection<S.Item>()",
        "CollectionOfOne(s.item)", "Optional<S.Item>.none", "Mirrored<S.Item, S.Next>()", "Restricted(s)",
        "[Restricted(s)]",
        "Restricted(s).item", "Dependent(s)", "Dependent(s.next)", "Dependent<S>.Part(item: s.item, next: s.next)",
    ]

    static let others = [
        Form("let NAME: () -> S.Item = { s.item }"), Form("let NAME: (S.Item) -> S.Next = { _ in s.next }"),
        Form("let NAME: (S.Item, inout [S]) -> Void = { _, all in all.append(s) }"),
        Form("let NAME: @Sendable (S.Type) -> Int = { _ in 1 }"), Form("let NAME: any Items<S.Item> = Carrier(s.item)"),
        Form("let NAME: any Source & AnyObject = Held(s.item)"),
        Form("let NAME: [any Items<S.Item>] = [Carrier(s.item)]"),
        Form("let NAME: (any Items<S.Item>)? = nil"),
        Form("let NAME: any (Source & AnyObject).Type = Held<S.Item>.self"),
        Form("let NAME: (any Error)? = s.failure"), Form("let NAME: [S.Item.Type] = [S.Item.self]"),
        Form("let NAME: PartialKeyPath<S> = \\S.item"), Form("let NAME: AnyKeyPath = \\S.next"),
        Form("let NAME: KeyPath<S, S.Item>? = nil"), Form("let NAME: S?; NAME = s"),
        Form("let NAME = Box(s.item)", inList: "weak NAME"), Form("let NAME = Box(s)", inList: "unowned NAME"),
        Form("let NAME = Derived(s.item)", inList: "unowned(unsafe) NAME"), Form("weak var NAME = Box(s.next)"),
        Form("unowned let NAME = kept(Box(s.item))"), Form("lazy var NAME = [s.item]"),
        Form("let NAME = Alone(s.item)"),
        Form("var NAME = Alone([s.item])"), Form("let NAME = Alone(s)"), Form("var NAME = Alone(Node())"),
        Form("func NAME() -> S.Item { s.item }"), Form("func NAME<V>(_ value: V) -> (V, S) { (value, s) }"),
        Form("let NAME = [s.item]", inList: "NAME"), Form("let NAME = s.next", inList: "NAME = [NAME]"),
        Form("let NAME = s.item", inList: "NAME = (NAME, s)"),
    ]

    static let all =
        values.map { Form("let NAME = \($0)") } + values.map { Form("var NAME = \($0)") } + others
}

/// Where a closure is made.
struct Context {
    let head: String
    let tail: String
    /// How the shape is called with the sources `a` and `b`.
    let call: String
    /// The name of the source's type.
    var type = "S"
    var hasPack: Bool { head.contains("<each ") }

    static let all = [
        Context(
            head: "@inline(never) func shapeN<S: Source>(_ s: S, _ owner: Owner) {", tail: "}",
            call: "shapeN(a, owner)"),
        Context(
            head:
                "@inline(never) func shapeN<T: Source, S: Source>(_ t: T, _ s: S, _ owner: Owner) {\n    let other = t.item",
            tail: "}", call: "shapeN(b, a, owner)"),
        Context(
            head:
                "extension Source {\n    @inline(never) func shapeN(_ owner: Owner) {\n    typealias S = Self\n    let s = self",
            tail: "}\n}", call: "a.shapeN(owner)"),
        Context(
            head:
                "extension Source where Self: Equatable {\n    @inline(never) func shapeN(_ owner: Owner) {\n    let s = next",
            tail: "}\n}", call: "equal(a).shapeN(owner)", type: "Next"),
        Context(
            head: "final class HolderN<S: Source> {\n    let s: S\n    init(_ s: S) { self.s = s }\n"
                + "    @inline(never) func make(_ owner: Owner) {\n    let s = self.s",
            tail: "}\n}", call: "holderN(a).make(owner)"),
        Context(
            head: "struct HolderN<T: Source> {\n    let t: T\n    init(_ t: T) { self.t = t }\n"
                + "    @inline(never) func make<S: Source>(_ s: S, _ owner: Owner) {\n    let other = t.next",
            tail: "}\n}", call: "holderN(b).make(a, owner)"),
        Context(
            head: "enum HolderN<T: Source> {\n    struct Inner<S: Source> {\n    let s: S\n"
                + "    @inline(never) func make(_ owner: Owner) {\n    let s = self.s",
            tail: "}\n    }\n}", call: "innerN(b, a).make(owner)"),
        Context(
            head:
                "@inline(never) func shapeN<S: Source>(_ s: S, _ owner: Owner) {\n    func inner<T: Source>(_ other: T) {",
            tail: "}\n    inner(s.next)\n}", call: "shapeN(a, owner)"),
        Context(
            head: "extension Array where Element: Source {\n    @inline(never) func shapeN(_ owner: Owner) {\n"
                + "    typealias S = Element\n    let s = self[0]",
            tail: "}\n}", call: "[a].shapeN(owner)"),
        Context(
            head:
                "@inline(never) func shapeN<each S: Source, T: Source>(_ all: repeat each S, last s: T, _ owner: Owner) {\n"
                + "    let other = (repeat (each all).item)",
            tail: "}", call: "shapeN(a, b, last: a, owner)", type: "T"),
    ]
}

@main enum Generate {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let seed = UInt64(arguments[2]), let count = Int(arguments[3]) else {
            fatalError("Generate FOLDER SEED COUNT")
        }
        var random = Random(state: seed &* 2 &+ 1)
        var known: Set<[Int]> = []
        var file: [String] = []
        var calls: [String] = []
        var number = 0
        func finish() {
            guard !file.isEmpty else { return }
            write(file, to: "\(arguments[1])/Shapes\(number / 100).swift")
            file = []
        }
        while number < count {
            let context = Int.random(in: 0..<Context.all.count, using: &random)
            // Each form alone first, then several together.
            let forms =
                number < Form.all.count
                ? [number]
                : (0..<Int.random(in: 1...4, using: &random)).map { _ in
                    Int.random(in: Form.all.indices, using: &random)
                }
            let isPossible = !Context.all[context].hasPack || forms.allSatisfy { Form.all[$0].isPossibleWithPack }
            guard isPossible, known.insert([context] + forms.sorted()).inserted else { continue }
            number += 1
            file.append(
                shape(
                    number, Context.all[context], forms.map { Form.all[$0] }, mentionsOther: Bool.random(using: &random)
                ))
            calls.append(call(number, Context.all[context]))
            if number % 100 == 0 { finish() }
        }
        number += 99
        finish()
        let list = (1...count).map { "    Shape(number: \($0)) { a, b, owner in call\($0)(a, b, owner) }," }
        write(["let shapes: [Shape] = ["] + list + ["]"], to: "\(arguments[1])/List.swift")
        for (part, from) in stride(from: 0, to: calls.count, by: 200).enumerated() {
            write(Array(calls[from..<min(from + 200, calls.count)]), to: "\(arguments[1])/Calls\(part).swift")
        }
    }

    static func shape(_ number: Int, _ context: Context, _ forms: [Form], mentionsOther: Bool) -> String {
        var (declarations, uses, list) = ([String](), [String](), ["owner"])
        for (place, form) in forms.enumerated() {
            let name = "value\(place)"
            func named(_ text: String) -> String { text.replacing("NAME", with: name).withType(context.type) }
            declarations.append(named(form.declaration))
            if form.declaration.hasPrefix("func") {
                uses.append("use(\(form.declaration.contains("<V>") ? "{ \(name)(1) }" : name))")
            } else {
                // A variable that changes is captured in a box.
                if form.declaration.hasPrefix("var"), !form.declaration.contains("Alone") {
                    uses.append("change(&\(name))")
                }
                uses.append("use(\(name))")
            }
            if let inList = form.inList { list.append(named(inList)) }
        }
        if mentionsOther, context.head.contains("other") { uses.append("use(other)") }
        let body =
            (declarations + ["owner.action = { [\(list.joined(separator: ", "))] in"] + uses + ["use(owner)", "}"])
            .map { "    " + $0 }
        return ([context.head.named(number)] + body + [context.tail.named(number)]).joined(separator: "\n")
    }

    /// A function for the call, because `a` and `b` are existential values, which are opened.
    static func call(_ number: Int, _ context: Context) -> String {
        let call = context.call.named(number)
            .replacing("holder\(number)(", with: "Holder\(number)(")
            .replacing("inner\(number)(b, a)", with: "Holder\(number)<B>.Inner(s: a)")
        return "@inline(never) func call\(number)<A: Source, B: Source>(_ a: A, _ b: B, _ owner: Owner) { \(call) }"
    }

    static func write(_ lines: [String], to path: String) {
        guard let file = fopen(path, "w") else { fatalError("cannot write \(path)") }
        for line in lines { fputs(line + "\n\n", file) }
        fclose(file)
    }
}

extension String {
    func named(_ number: Int) -> String {
        replacing("shapeN", with: "shape\(number)").replacing("holderN", with: "holder\(number)")
            .replacing("HolderN", with: "Holder\(number)").replacing("innerN", with: "inner\(number)")
    }

    /// The text with another name for the type `S`.
    func withType(_ name: String) -> String {
        name == "S" ? self : replacing(/\bS\b/.wordBoundaryKind(.simple)) { _ in name }
    }
}
