/// The tables of `weir facts`, with their columns; 'From one trace to a fleet' documents them.
package enum FactTable: String, CaseIterable, Sendable {
    case runs, labels, nodes, subscriptions, stimuli, refreshes, findings, leaks, handlers, times, losses

    /// The version of the tables; a change that breaks readers raises it, an added column or table does not.
    package static let version = 1

    /// The columns in the order in which rows have them; every table begins with the id of the run.
    package var columns: [ExportTable.Column] {
        typealias Table = ExportTable
        let (integer, text, boolean, maybe) = (Table.integer, Table.text, Table.boolean, Table.maybe)
        let site = [maybe(text("file")), maybe(integer("line"))]
        let work = [integer("refreshes"), integer("redundant"), integer("handler_ns"), integer("wasted_ns")]
        let own: [Table.Column] =
            switch self {
            case .runs:
                [
                    integer("version"), text("path"), text("program"), maybe(text("app")), maybe(text("build")),
                    maybe(text("device")), maybe(text("test")), maybe(text("recorded_at")), maybe(text("day")),
                    integer("bytes"), boolean("timed"), boolean("complete"), integer("duration_ns"),
                    integer("evaluations"), integer("unchanged_evaluations"), integer("omitted_findings"),
                ] + work
            case .labels: [text("name"), text("value")]
            case .nodes:
                [
                    text("name"), text("kind"), text("technique"), maybe(text("type")), boolean("private"),
                    integer("instances"),
                ] + site
            case .subscriptions:
                [text("handler"), text("name"), maybe(text("target")), integer("instances")] + site
            case .stimuli: [text("stimulus"), integer("count")] + work
            case .refreshes: [text("stimulus"), text("handler"), text("name")] + work
            case .findings:
                [
                    text("fingerprint"), text("rule"), text("severity"), integer("count"), integer("redundant"),
                    integer("wasted_ns"), text("sentence"), maybe(text("remedy")), maybe(text("names")),
                    maybe(text("intention")),
                ] + site
            case .leaks:
                [
                    text("signature"), text("rule"), text("severity"), integer("count"), integer("bytes"),
                    text("sentence"), maybe(text("remedy")), maybe(text("names")),
                ] + site
            case .handlers:
                [text("handler"), text("name"), integer("refreshes"), integer("handler_ns"), integer("longest_ns")]
                    + site
            case .times: [text("handler"), integer("bucket"), integer("refreshes")]
            case .losses: [text("path"), text("fault"), text("sentence")]
            }
        return [text("run")] + own
    }

    /// The JSON Schema of a row.
    package static var jsonSchema: JSONValue {
        ExportTable.jsonSchema("A row of `weir facts`, version \(version)", allCases.map { ($0.rawValue, $0.columns) })
    }
}
