/// A property that consists of several nodes; adoption names each of them: 'Model.property.part'.
protocol Composite {
    var parts: [(name: String, node: Node)] { get }
}
