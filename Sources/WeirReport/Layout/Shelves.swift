/// Packs rectangles into rows, the highest first, so that the whole is somewhat wider than high.
struct Shelves {
    private(set) var origins: [Point]
    private(set) var width = 0.0
    private(set) var height = 0.0

    init(_ sizes: [(width: Double, height: Double)], gap: Double, mostWidth: Double = .infinity) {
        origins = Array(repeating: Point(), count: sizes.count)
        let area = sizes.reduce(0) { $0 + ($1.width + gap) * ($1.height + gap) }
        let limit = max(min((area * 1.6).squareRoot(), mostWidth), sizes.map(\.width).max() ?? 0)
        // Heights are rounded to multiples of the gap, so that rectangles of similar height keep their order.
        let order = sizes.indices.sorted {
            let (first, second) = ((sizes[$0].height / gap).rounded(), (sizes[$1].height / gap).rounded())
            return first == second ? $0 < $1 : first > second
        }
        var (x, y, row) = (0.0, 0.0, 0.0)
        for index in order {
            let size = sizes[index]
            if x > 0 && x + size.width > limit {
                y += row + gap
                (x, row) = (0, 0)
            }
            origins[index] = Point(x: x, y: y)
            x += size.width + gap
            row = max(row, size.height)
            width = max(width, x - gap)
            height = max(height, y + row)
        }
    }
}
