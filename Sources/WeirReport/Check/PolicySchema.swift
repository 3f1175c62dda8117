import WeirAnalysis

/// The JSON Schema of policies, made of the same table that reads them.
package enum PolicySchema {
    /// The schema, by the draft of 2020-12.
    package static var json: JSONValue {
        let head: [JSONValue.Member] = [
            .init(name: "$schema", value: "https://json-schema.org/draft/2020-12/schema"),
            .init(name: "title", value: "Policy of weir check"),
        ]
        return .object(head + members(of: .policy))
    }

    private static func members(of grammar: PolicyGrammar) -> [JSONValue.Member] {
        func member(_ name: String, _ value: JSONValue) -> JSONValue.Member { .init(name: name, value: value) }
        switch grammar {
        case .object(let fields):
            let properties = fields.map { field in
                member(field.name, .object(members(of: field.grammar) + [member("description", .string(field.help))]))
            }
            let required = fields.filter(\.isRequired).map { JSONValue.string($0.name) }
            return [member("type", "object"), member("additionalProperties", .bool(false))]
                + (required.isEmpty ? [] : [member("required", .array(required))])
                + [member("properties", .object(properties))]
        case .rules(let level):
            let names = PolicyGrammar.ruleNames + ["*"]
            return [
                member("type", "object"), member("additionalProperties", .object(members(of: level))),
                member("propertyNames", ["enum": .array(names.map { .string($0) })]),
            ]
        case .list(let element): return [member("type", "array"), member("items", .object(members(of: element)))]
        case .text: return [member("type", "string"), member("pattern", "\\S")]
        case .day: return [member("type", "string"), member("pattern", "^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
        case .choice(let words): return [member("enum", .array(words.map { .string($0) }))]
        case .number(let most, let isWhole):
            return [member("type", isWhole ? "integer" : "number"), member("minimum", .signed(0))]
                + (most.map { [member("maximum", .number($0))] } ?? [])
        case .version(let version): return [member("const", .signed(version))]
        }
    }
}
