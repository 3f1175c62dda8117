/// How `weir graph` writes a graph. Its commands, their help and the tools that try them all take the formats from here.
package enum GraphFormat: String, CaseIterable, Sendable {
    case text, dot, mermaid, svg, json
}
