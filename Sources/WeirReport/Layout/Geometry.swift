/// A point in a picture; x grows to the right, y grows downwards.
package struct Point: Sendable, Equatable {
    package var x = 0.0
    package var y = 0.0
}

/// An axis-parallel rectangle.
package struct Rectangle: Sendable, Equatable {
    package var x = 0.0
    package var y = 0.0
    package var width = 0.0
    package var height = 0.0

    package var right: Double { x + width }
    package var bottom: Double { y + height }

    func moved(by offset: Point) -> Rectangle {
        Rectangle(x: x + offset.x, y: y + offset.y, width: width, height: height)
    }
}

/// The route of an edge, from its source's box to its target's.
package struct Route: Sendable, Equatable {
    /// Two points at the same height are joined by a straight line, others by a curve that is horizontal at both ends.
    package var points: [Point] = []
    /// Whether it returns to the box where it starts.
    package var isLoop = false

    func moved(by offset: Point) -> Route {
        Route(points: points.map { Point(x: $0.x + offset.x, y: $0.y + offset.y) }, isLoop: isLoop)
    }
}

/// The distances that a layout keeps.
package struct LayoutSpacing: Sendable {
    /// Between two boxes, one below the other.
    package var boxes = 14.0
    /// Between two lines.
    package var lines = 9.0
    /// Between a line and a box.
    package var linesAndBoxes = 10.0
    /// Between two columns, at least.
    package var columns = 56.0
    /// Between two ends of lines at one box, at most.
    package var ends = 9.0
    /// Above a box, for a line that returns to it.
    package var loop = 16.0
    /// Between a group's rectangle and what is in it.
    package var groupPadding = 12.0
    /// For a group's name, at the top of its rectangle.
    package var groupTitle = 20.0
    /// Between two groups' rectangles.
    package var groups = 16.0
    /// Between parts of the graph that nothing connects.
    package var pieces = 28.0

    package init() {}
}
