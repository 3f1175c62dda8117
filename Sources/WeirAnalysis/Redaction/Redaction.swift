import WeirTrace

/// The values that a copy of a trace omits: the requested ones, and those that these may have reached.
package struct Redaction: Sendable {
    /// The user's choice.
    package struct Request: Sendable {
        /// The values of all nodes.
        package var hidesAll = false
        /// The values of these nodes.
        package var nodes: Set<UInt32> = []
        /// The values of these types, as `Types` reads them.
        package var types: [String] = []
        /// The values of these nodes stay, and no flow is followed through them.
        package var kept: Set<UInt32> = []
        /// Whether the names of stimuli and checkpoints, and the reasons of intentions, stay.
        package var keepsTexts = false

        /// An empty request.
        package init() {}
    }

    /// The parts that the copy omits.
    package let plan: RedactionPlan
    /// The nodes whose values are removed, by id; those that were private before are not among them.
    package let hidden: [UInt32]
    /// The nodes among `hidden` that were not requested: removed values reach them.
    package let derived: [UInt32]
    /// Nodes whose values stay although they feed removed values: they may have held the same.
    package let feeding: [UInt32]
    /// How many nodes and objects lose keys in their names.
    package let namesWithKeys: Int
    /// Whether all values are removed because damage to the trace makes it uncertain which node a value belongs to.
    package let isWidenedByDamage: Bool
    /// The trace's definitions.
    package let definitions: TraceDefinitions

    /// Determines the values to remove. Reads all events, unless all values are removed.
    package init(
        _ request: Request, of reader: TraceReader, reporting report: PassProgress.Report? = nil
    ) throws(TraceError) {
        let definitions = try reader.definitions()
        var flow = RedactionFlow(definitions)
        let known = Set(definitions.nodes.keys)
        var hidden = known
        var chosen = known
        // This also finds where the trace is damaged.
        if !(request.hidesAll && request.kept.isEmpty) {
            reader.forEachEvent(reporting: report) { event in
                flow.take(event)
                return true
            }
        }
        if !request.hidesAll {
            let types = Types(definitions)
            chosen = request.nodes.union(request.types.flatMap { types.nodes(of: $0) }).subtracting(request.kept)
            hidden = flow.reached(from: chosen, without: request.kept)
        }
        isWidenedByDamage = reader.damageCount > 0 && !(request.hidesAll && request.kept.isEmpty)
        let shown = isWidenedByDamage ? [] : request.hidesAll ? request.kept : known.subtracting(hidden)
        hidden = known.subtracting(shown)
        let labels = hidden.compactMap { definitions.nodes[$0]?.label }
        var plan = RedactionPlan(
            shown: shown, hidesTexts: !request.keepsTexts, keys: shown.isEmpty ? .all : HiddenKeys(of: labels))
        if !shown.isEmpty { plan.removed = Self.values(of: hidden, definitions, reader) }
        plan.trusted = request.kept
        self.plan = plan
        let isNew = { (id: UInt32) in definitions.nodes[id]?.isPrivate == false }
        self.hidden = hidden.filter(isNew).sorted()
        derived = isWidenedByDamage ? [] : hidden.subtracting(chosen).filter(isNew).sorted()
        feeding = shown.isEmpty || request.hidesAll ? [] : flow.feeding(chosen).filter(shown.contains)
        namesWithKeys = Self.namesWithKeys(definitions, plan)
        self.definitions = definitions
    }

    /// The values that nodes held: equal values of other nodes are removed too.
    private static func values(
        of nodes: Set<UInt32>, _ definitions: TraceDefinitions, _ reader: TraceReader
    ) -> RemovedValues {
        var values = RemovedValues()
        for node in nodes { if let value = definitions.nodes[node]?.value { values.insert(value) } }
        let kinds: Set = [EventKind.emitted.rawValue, EventKind.failed.rawValue]
        reader.forEachEventChunk { header, records in
            var cursor = RecordCursor(records, of: header)
            while cursor.next() {
                guard kinds.contains(cursor.rawKind),
                    nodes.contains(cursor.subject) || definitions.nodes[cursor.subject] == nil,
                    let value = TraceValue(body: cursor.body)
                else { continue }
                values.insert(value)
            }
            return true
        }
        return values
    }

    private static func namesWithKeys(_ definitions: TraceDefinitions, _ plan: RedactionPlan) -> Int {
        definitions.nodes.values.count { node in node.label.map { plan.label($0, of: node.id) != $0 } ?? false }
            + definitions.objects.values.count { object in
                object.label.map { plan.keys.removed(from: $0) != $0 } ?? false
            }
    }

    /// Writes the copy to an empty file. Until it returns, the file is not a valid trace.
    package func write(
        _ reader: TraceReader, to descriptor: Int32, reporting report: PassProgress.Report? = nil
    ) throws(TraceCopyError) -> RedactionCounts {
        try TraceRedactor(reader, plan).write(to: descriptor) { chunks in
            report?(PassProgress(events: UInt64(chunks), expectedEvents: UInt64(reader.chunkCount)))
        }
    }
}

extension Redaction {
    /// The types of a trace's values.
    ///
    /// A type is also found inside other types: 'Card' matches `Optional<Card>` and `Array<Card>`, whose values hold cards, and
    /// `[Card]?`, as Swift writes them.
    package struct Types: Sendable {
        private let nodes: [(id: UInt32, type: String, words: [Substring])]
        private let untyped: Set<UInt32>

        /// The types that are defined.
        package init(_ definitions: TraceDefinitions) {
            untyped = Set(definitions.nodes.values.filter { $0.valueType == nil }.map(\.id))
            nodes = definitions.nodes.values.compactMap { node in
                node.valueType.map { (node.id, $0, Self.words($0)) }
            }
        }

        /// The nodes that hold values of a type or of an unknown type; none if there is no such type.
        package func nodes(of type: String) -> Set<UInt32> {
            let wanted = Self.words(type)
            let found = nodes.filter { !wanted.isEmpty && Self.holds($0.words, wanted) }.map(\.id)
            return found.isEmpty ? [] : untyped.union(found)
        }

        /// The types, in order.
        package var all: [String] { Set(nodes.map(\.type)).sorted() }

        /// The types that a misspelt name may mean.
        package func nearest(to type: String) -> [String] {
            Spelling.nearest(to: type, among: Set(nodes.flatMap { $0.words.map(String.init) + [$0.type] }))
        }

        private static func words(_ type: String) -> [Substring] {
            type.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        }

        private static func holds(_ words: [Substring], _ wanted: [Substring]) -> Bool {
            words.indices.contains { words[$0...].starts(with: wanted) }
        }
    }
}
