import WeirTrace

/// The nodes, subscriptions and tracked objects that are alive at a moment of a trace.
///
/// Something mentioned before its recorded beginning counts as alive from there on: it was made before the recording began.
/// After its end, nothing begins again. A subscription ends when its source or its target is released.
struct LifeTables {
    let topology: Topology
    private(set) var nodes: [Life]
    private(set) var subscriptions: [Life]
    /// How many checkpoints had been taken when each node and subscription began.
    private(set) var checkpointsBeforeNodes: [Int32]
    private(set) var checkpointsBeforeSubscriptions: [Int32]
    private(set) var objects: [ObjectLife] = []
    private(set) var lines = LineCounts()
    private var placeOfObject = SlotTable()
    private let lineOfNode: [Int32]
    private let lineOfSubscription: [Int32]
    private var lineOfObject: [Int32] = []
    /// Indexes of the objects that should be released by the next checkpoint.
    private var expected: [Int] = []
    private(set) var checkpoints = 0

    init(_ topology: Topology) {
        self.topology = topology
        let definitions = topology.definitions
        nodes = .init(repeating: .unmentioned, count: topology.nodeIDs.count)
        subscriptions = .init(repeating: .unmentioned, count: topology.subscriptions.count)
        checkpointsBeforeNodes = .init(repeating: 0, count: nodes.count)
        checkpointsBeforeSubscriptions = .init(repeating: 0, count: subscriptions.count)
        var lines = LineCounts()
        lineOfNode = topology.nodeIDs.map { id in
            definitions.nodes[id].map { lines.place(of: .nodes(rawKind: $0.rawKind, $0.site)) } ?? -1
        }
        lineOfSubscription = topology.subscriptions.map { subscription in
            subscription.isInternal ? -1 : lines.place(of: .subscriptions(subscription.site))
        }
        self.lines = lines
    }

    /// The index of an object; one that the trace does not define gets an index at its first mention.
    private mutating func place(ofObject id: UInt32) -> Int {
        if let place = placeOfObject[id] { return place }
        placeOfObject[id] = objects.count
        objects.append(ObjectLife(id: id))
        let object = topology.definitions.objects[id]
        lineOfObject.append(object.map { lines.place(of: .objects(type: $0.type, label: $0.label)) } ?? -1)
        return objects.count - 1
    }

    /// The life of an object; nil if the trace has not mentioned it so far.
    func object(_ id: UInt32) -> ObjectLife? { placeOfObject[id].map { objects[$0] } }

    mutating func mention(node id: UInt32) {
        if let place = topology.place(ofNode: id) { begin(node: place) }
    }

    mutating func release(node id: UInt32) {
        guard let place = topology.place(ofNode: id) else { return }
        if nodes[place] == .alive { lines.count(lineOfNode[place], -1) }
        if nodes[place] == .ended { return }
        nodes[place] = .ended
        // The trace does not record every end of an edge within the graph.
        for subscription in topology.outputs[place] + topology.inputs[place] { end(at: subscription) }
    }

    mutating func mention(subscription id: UInt32) {
        guard let place = topology.place(ofSubscription: id), subscriptions[place] == .unmentioned else { return }
        subscriptions[place] = .alive
        checkpointsBeforeSubscriptions[place] = Int32(clamping: checkpoints)
        lines.count(lineOfSubscription[place], 1)
        begin(node: topology.sources[place])
        if topology.targets[place] >= 0 { begin(node: topology.targets[place]) }
    }

    mutating func end(subscription id: UInt32) {
        if let place = topology.place(ofSubscription: id) { end(at: place) }
    }

    private mutating func end(at place: Int) {
        if subscriptions[place] == .alive { lines.count(lineOfSubscription[place], -1) }
        subscriptions[place] = .ended
    }

    mutating func track(object id: UInt32) {
        let place = place(ofObject: id)
        guard objects[place].life == .unmentioned else { return }
        objects[place].life = .alive
        objects[place].bornAfter = Int32(clamping: checkpoints)
        lines.count(lineOfObject[place], 1)
    }

    mutating func expect(object id: UInt32) {
        track(object: id)
        let place = place(ofObject: id)
        if objects[place].life == .alive, !objects[place].isExpected {
            objects[place].isExpected = true
            expected.append(place)
        }
    }

    mutating func release(object id: UInt32) {
        let place = place(ofObject: id)
        if objects[place].life == .alive { lines.count(lineOfObject[place], -1) }
        objects[place].life = .ended
    }

    mutating func take(checkpoint name: String) {
        miss(.checkpoint(checkpoints))
        checkpoints += 1
        lines.take(checkpoint: name)
    }

    /// Ends the recording: objects expected to be released miss their deadline.
    mutating func takeEnd() { miss(.end) }

    private mutating func miss(_ deadline: ObjectLife.Deadline) {
        for place in expected {
            objects[place].isExpected = false
            if objects[place].life == .alive, objects[place].missed == nil { objects[place].missed = deadline }
        }
        expected = []
    }

    private mutating func begin(node place: Int) {
        guard nodes[place] == .unmentioned else { return }
        nodes[place] = .alive
        checkpointsBeforeNodes[place] = Int32(clamping: checkpoints)
        lines.count(lineOfNode[place], 1)
    }
}
