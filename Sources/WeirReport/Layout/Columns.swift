/// The horizontal extent of each layer's column: as wide as its widest box, with wider gaps for steeper lines.
struct Columns {
    private(set) var left: [Double] = []
    private(set) var right: [Double] = []

    init(_ graph: LayerGraph, widths: [Double], heights: [Double], ends: LineEnds, spacing: LayoutSpacing) {
        var width = Array(repeating: 0.0, count: graph.layerCount)
        for (node, own) in widths.enumerated() { width[graph.layers[node]] = max(width[graph.layers[node]], own) }
        var climbs = Array(repeating: [Double](), count: graph.layerCount)
        for (edge, chain) in graph.chains.enumerated() {
            for (first, second) in zip(chain, chain.dropFirst()) {
                let start = heights[first] + (first == chain[0] ? ends.atLeft[edge] : 0)
                let end = heights[second] + (second == chain[chain.count - 1] ? ends.atRight[edge] : 0)
                climbs[graph.layers[first]].append(abs(end - start))
            }
        }
        var x = 0.0
        for layer in 0..<graph.layerCount {
            left.append(x)
            x += width[layer]
            right.append(x)
            // The steepest tenth is ignored: one long climb does not justify a wide gap.
            let sorted = climbs[layer].sorted()
            let climb = sorted.isEmpty ? 0 : sorted[sorted.count * 9 / 10]
            x += spacing.columns + min(120, climb * 0.18)
        }
    }
}
