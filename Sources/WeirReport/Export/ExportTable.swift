/// The tables of an export, with their columns; 'Tables for other programs' documents them.
package enum ExportTable: String, CaseIterable, Sendable {
    case trace, labels, objects, nodes, subscriptions, intentions, write_sites, spans, snapshots, events, turns
    case findings

    /// The version of the tables; a change that breaks readers raises it, an added column does not.
    package static let version = 1

    /// The type of a column.
    package enum ColumnType: String, Sendable {
        case integer, text, boolean
    }

    /// A column.
    package struct Column: Sendable {
        /// The name.
        package let name: StaticString
        /// The type of its values.
        package let type: ColumnType
        /// Whether some rows have no value there.
        package var isOptional = false
    }

    static func integer(_ name: StaticString) -> Column { Column(name: name, type: .integer) }
    static func text(_ name: StaticString) -> Column { Column(name: name, type: .text) }
    static func boolean(_ name: StaticString) -> Column { Column(name: name, type: .boolean) }
    static func maybe(_ column: Column) -> Column {
        Column(name: column.name, type: column.type, isOptional: true)
    }

    /// The columns in the order in which rows have them; every table begins with the number of the trace.
    package var columns: [Column] {
        typealias Table = ExportTable
        let (integer, text, boolean, maybe) = (Table.integer, Table.text, Table.boolean, Table.maybe)
        let site = [maybe(text("file")), maybe(integer("line"))]
        let value = [maybe(text("value")), maybe(text("form")), maybe(text("fingerprint"))]
        let own: [Column] =
            switch self {
            case .trace:
                [
                    integer("version"), text("path"), text("program"), integer("process"), maybe(text("recorded_at")),
                    integer("start_unix_nanoseconds"), text("clock"), text("values"), boolean("flight_recorder"),
                    boolean("closed"), maybe(integer("lost_events")), maybe(integer("overwritten_events")),
                    integer("damaged_places"),
                ]
            case .labels: [text("name"), text("value")]
            case .objects: [integer("object"), text("name"), maybe(text("type")), maybe(text("label"))]
            case .nodes:
                [
                    integer("node"), text("name"), text("kind"), boolean("private"), text("technique"),
                    maybe(text("strategy")), maybe(text("label")), maybe(text("type")), maybe(integer("owner")),
                ] + site + value
            case .subscriptions:
                [
                    integer("subscription"), integer("node"), text("name"), maybe(integer("target")),
                    boolean("internal"), boolean("timing"), maybe(integer("owner")),
                ] + site
            case .intentions: [integer("node"), text("rule"), text("reason")] + site
            case .write_sites: [integer("write_site"), maybe(text("function"))] + site
            case .spans:
                [integer("thread"), integer("sequence"), integer("executor"), text("kind"), maybe(text("type"))]
            case .snapshots: [integer("snapshot"), text("bytes")]
            case .events:
                [
                    text("id"), integer("thread"), text("kind"), integer("nanoseconds"), boolean("stamped"),
                    integer("depth"), maybe(text("cause")), maybe(integer("turn")), maybe(integer("node")),
                    maybe(text("name")), maybe(integer("subscription")), maybe(boolean("refresh")),
                    maybe(integer("object")), maybe(integer("snapshot")), maybe(boolean("delivers")),
                    maybe(boolean("replayed")),
                    maybe(text("reason")), maybe(integer("count")), maybe(text("text")),
                ] + value
            case .turns:
                [
                    integer("turn"), text("root"), integer("thread"), text("kind"), maybe(text("text")),
                    maybe(integer("node")), maybe(text("name")), maybe(text("cause")), integer("nanoseconds"),
                    integer("end_nanoseconds"), integer("events"), integer("emissions"), integer("refreshes"),
                    integer("suppressed"), boolean("beginning_missing"),
                ]
            case .findings:
                [
                    text("rule"), text("severity"), integer("count"), text("sentence"), maybe(text("remedy")),
                    maybe(text("names")), maybe(text("intention")),
                ] + site
            }
        return [integer("trace")] + own
    }

    /// Whether a folder of CSV files has this table; heap snapshots are bytes that only `weir import` can use.
    package var isForSpreadsheets: Bool { self != .snapshots }

    /// The JSON Schema of a row, for NDJSON.
    package static var jsonSchema: JSONValue {
        jsonSchema(
            "A row of `weir export --format ndjson`, version \(version)", allCases.map { ($0.rawValue, $0.columns) })
    }

    /// The JSON Schema of a row of these tables.
    static func jsonSchema(_ title: String, _ tables: [(name: String, columns: [Column])]) -> JSONValue {
        let rows = tables.map { table -> JSONValue in
            var properties: [JSONValue.Member] = [
                .init(name: "table", value: ["const": .string(table.name)])
            ]
            for column in table.columns {
                let type =
                    switch column.type {
                    case .integer: "integer"
                    case .text: "string"
                    case .boolean: "boolean"
                    }
                properties.append(.init(name: "\(column.name)", value: ["type": .string(type)]))
            }
            let required = table.columns.filter { !$0.isOptional }.map { JSONValue.string("\($0.name)") }
            return [
                "properties": .object(properties), "required": .array([.string("table")] + required),
                "additionalProperties": false,
            ]
        }
        return [
            "$schema": "https://json-schema.org/draft/2020-12/schema", "title": .string(title), "type": "object",
            "oneOf": .array(rows),
        ]
    }
}
