/// Checks that text is well-formed XML, limited to the parts that pictures use: elements, attributes, entities, allowed characters.
enum Markup {
    /// The first fault; nil if there is none.
    static func fault(in text: String) -> String? {
        for scalar in text.unicodeScalars where !isAllowed(scalar) { return "a scalar U+\(scalar.value)" }
        var open: [Substring] = []
        var rest = text.unicodeScalars[...]
        if String(rest).hasPrefix("<?xml"), let end = rest.firstIndex(of: ">") {
            rest = rest[rest.index(after: end)...]
        }
        var hasRoot = false
        while let start = rest.firstIndex(of: "<") {
            let words = Substring(rest[..<start])
            if let fault = contentFault(words, isWithin: !open.isEmpty) { return fault }
            rest = rest[rest.index(after: start)...]
            guard let end = rest.firstIndex(of: ">") else { return "a tag without an end" }
            let tag = Substring(rest[..<end])
            rest = rest[rest.index(after: end)...]
            if tag.hasPrefix("/") {
                guard let name = open.popLast(), name == tag.dropFirst() else { return "</\(tag)> closes nothing" }
                continue
            }
            if open.isEmpty && hasRoot { return "a second root" }
            hasRoot = true
            let isEmpty = tag.hasSuffix("/")
            let body = isEmpty ? tag.dropLast() : tag
            let name = body.prefix { $0.isLetter }
            if name.isEmpty { return "a tag without a name" }
            if let fault = attributeFault(body.dropFirst(name.count)) { return fault }
            if !isEmpty { open.append(name) }
        }
        if let fault = contentFault(Substring(rest), isWithin: false) { return fault }
        return open.isEmpty ? nil : "\(open.count) elements are not closed"
    }

    private static func contentFault(_ text: Substring, isWithin: Bool) -> String? {
        if !isWithin && text.contains(where: { !$0.isWhitespace }) { return "text outside of the root" }
        return entityFault(text)
    }

    private static func entityFault(_ text: Substring) -> String? {
        for piece in text.split(separator: "&", omittingEmptySubsequences: false).dropFirst() {
            let name = piece.prefix { $0 != ";" }
            guard name.count < piece.count, ["amp", "lt", "gt", "quot", "#39"].contains(name) else {
                return "a lonely ampersand"
            }
        }
        return nil
    }

    /// Checks ` name="value" name="value"`.
    private static func attributeFault(_ text: Substring) -> String? {
        var rest = text
        while !rest.allSatisfy(\.isWhitespace) {
            guard rest.first?.isWhitespace == true else { return "no space before an attribute" }
            rest = rest.drop { $0.isWhitespace }
            let name = rest.prefix { $0.isLetter || "-:".contains($0) }
            rest = rest.dropFirst(name.count)
            guard !name.isEmpty, rest.hasPrefix("=\"") else { return "an attribute without a value" }
            rest = rest.dropFirst(2)
            let value = rest.prefix { $0 != "\"" }
            guard value.count < rest.count, !value.contains("<") else { return "a value without an end" }
            if let fault = entityFault(value) { return fault }
            rest = rest.dropFirst(value.count + 1)
        }
        return nil
    }

    /// The characters that XML 1.0 allows.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
