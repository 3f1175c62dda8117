extension Plans {
    /// The plan for contexts with this metadata. For closures made in generic code, it only says that each has its own plan.
    func contextPlan(_ metadata: Metadata) -> ObjectPlan {
        guard let descriptor = CaptureDescriptor(ofContext: metadata) else {
            var layout = ValueLayout()
            appendUnseen(.unknownCapture, "a closure without description", firstCapture(metadata), "", &layout)
            return ObjectPlan(
                kind: .context, metadata: metadata.address, size: firstCapture(metadata),
                operations: store(layout.operations))
        }
        if descriptor.sourceCount > 0 || descriptor.bindingCount > 0 {
            return ObjectPlan(
                kind: .context, metadata: metadata.address, size: 16, operations: store([]), isGeneric: true)
        }
        return plan(ContextLayout(metadata, descriptor, context: 0, plans: self))
    }

    private func plan(_ context: ContextLayout) -> ObjectPlan {
        ObjectPlan(
            kind: .context, metadata: context.metadata.address, size: context.size,
            operations: store(context.layout.operations), isLeaf: context.layout.operations.isEmpty,
            captures: label(context.names.joined(separator: ", ")))
    }

    /// The plan for the closure at `address`, which was made in generic code.
    @inline(never)
    func genericPlan(
        for address: UInt, _ general: UnsafeMutablePointer<ObjectPlan>
    ) -> UnsafeMutablePointer<ObjectPlan> {
        let metadata = Metadata(general.pointee.metadata)
        guard let descriptor = CaptureDescriptor(ofContext: metadata) else { return general }
        var key = [metadata.address]
        guard let first = firstBinding(of: metadata, descriptor, in: address) else {
            return unresolvedPlan(metadata)
        }
        guard memory.isReadable(address, first + descriptor.bindingCount * 8) else { return general }
        for place in 0..<descriptor.bindingCount { key.append(Memory.word(address &+ first &+ place &* 8)) }
        if descriptor.needsBindingsOnly {
            if let plan = genericPlans[key] { return plan }
        }
        let context = ContextLayout(metadata, descriptor, context: address, plans: self)
        if !descriptor.needsBindingsOnly {
            key += context.environment.key
            if let plan = genericPlans[key] { return plan }
        }
        let stored = store(plan: plan(context))
        genericPlans[key] = stored
        return stored
    }

    /// The offset of the first capture.
    ///
    /// The metadata says 0 if the first capture is empty or has no fixed offset. It then follows the header.
    fileprivate func firstCapture(_ metadata: Metadata) -> UInt {
        max(16, UInt(Memory.half(metadata.address &+ 8)))
    }

    /// The offset of the first binding, or of the first capture if there is no binding; nil if nothing shows it.
    fileprivate func firstBinding(of metadata: Metadata, _ descriptor: CaptureDescriptor, in context: UInt) -> UInt? {
        let first = firstCapture(metadata)
        if descriptor.bindingCount == 0 { return first }
        if let known = firstBindings[metadata.address] { return known }
        guard let before = ClosureIsolation.bytesBeforeBindings(in: context, first: first, descriptor, memory) else {
            return nil
        }
        // All contexts with the same metadata have the same layout.
        firstBindings[metadata.address] = first + before
        return first + before
    }

    /// The plan for a closure in generic code whose words do not show its layout.
    private func unresolvedPlan(_ metadata: Metadata) -> UnsafeMutablePointer<ObjectPlan> {
        let key = [metadata.address]
        if let plan = genericPlans[key] { return plan }
        var layout = ValueLayout()
        appendUnseen(.unknownCapture, "a generic closure", firstCapture(metadata), "captures", &layout)
        let stored = store(
            plan: ObjectPlan(
                kind: .context, metadata: metadata.address, size: firstCapture(metadata),
                operations: store(layout.operations)))
        genericPlans[key] = stored
        return stored
    }

    /// The number of arguments of the closure, which the sources of its generic arguments count before the captures.
    fileprivate func argumentCount(of metadata: Metadata, _ descriptor: CaptureDescriptor) -> Int {
        if let count = argumentCounts[metadata.address] { return count }
        let count = descriptor.argumentCount
        argumentCounts[metadata.address] = count
        return count
    }
}

/// Lays out the captures of one context.
private struct ContextLayout {
    let metadata: Metadata
    let descriptor: CaptureDescriptor
    /// A context with this metadata; 0 if the captures do not depend on generic arguments.
    let context: UInt
    let plans: Plans
    private let first: UInt
    private(set) var environment = GenericEnvironment()
    private(set) var layout = ValueLayout()
    /// The names of the types, for a reader.
    private(set) var names: [String] = []
    /// The number of bytes so far.
    private(set) var size: UInt
    private var offsets: [UInt] = []
    /// Captures of generic parameters whose arguments only later captures show, and the layout before the first of them.
    private var assumed: [(type: MangledType, offset: UInt, path: String, name: Int)] = []
    private var certain: (layout: ValueLayout, names: [String], size: UInt)?

    init(_ metadata: Metadata, _ descriptor: CaptureDescriptor, context: UInt, plans: Plans) {
        self.metadata = metadata
        self.descriptor = descriptor
        self.context = context
        self.plans = plans
        first = plans.firstBinding(of: metadata, descriptor, in: context) ?? plans.firstCapture(metadata)
        size = first + descriptor.bindingCount * 8
        if first > plans.firstCapture(metadata) {
            plans.append(Metadata((any Actor)?.self), at: plans.firstCapture(metadata), path: "captures", to: &layout)
        }
        findArguments()
        for place in 0..<descriptor.captureCount {
            if !append(place) {
                // The offsets of the other captures are unknown.
                let names = names.joined(separator: ", ")
                plans.appendUnseen(.unknownCapture, "closure(\(names))", size, "captures", &layout)
                break
            }
        }
        checkAssumptions()
    }

    /// Sees whether the parameters that were taken for one word are, now that their arguments may be known.
    private mutating func checkAssumptions() {
        guard let certain else { return }
        findArguments()
        for (name, offset, path, number) in assumed {
            guard case .type(let metadata, .strong) = CaptureType(name, in: environment),
                metadata.witnesses.table == 0 || metadata.size == 8 && metadata.witnesses.alignMask == 7
            else {
                (layout, names, size) = certain
                let names = (names + ["?"]).joined(separator: ", ")
                plans.appendUnseen(.unknownCapture, "closure(\(names))", size, "captures", &layout)
                return
            }
            names[number] = metadata.name
            plans.append(metadata, at: offset, path: path, to: &layout)
        }
    }

    private mutating func findArguments() {
        guard context != 0 else { return }
        for place in 0..<descriptor.sourceCount {
            guard let source = descriptor.source(place),
                let tokens = MangledScanner.tokens(of: source.parameter), tokens.count == 1,
                tokens[0].kind == .generic, environment[tokens[0].depth, tokens[0].index] == nil
            else { continue }
            var path = MetadataSource(source.text)
            (path.context, path.firstBinding) = (context, first)
            (path.captures, path.argumentCount) = (offsets, plans.argumentCount(of: metadata, descriptor))
            environment[tokens[0].depth, tokens[0].index] = path.metadata(plans.memory)
        }
    }

    private mutating func place(_ size: UInt, _ alignMask: UInt, _ name: String) -> UInt {
        let offset = Memory.align(self.size, alignMask)
        offsets.append(offset)
        names.append(name)
        self.size = offset + size
        return offset
    }

    private mutating func append(_ place: UInt) -> Bool {
        guard let name = descriptor.capture(place) else {
            names.append("?")
            return false
        }
        let path = descriptor.captureCount == 1 ? "captures" : "captures #\(place + 1)"
        var type = CaptureType(name, in: environment)
        if case .missingArgument = type {
            findArguments()
            type = CaptureType(name, in: environment)
        }
        switch type {
        case .type(let metadata, .strong):
            let witnesses = metadata.witnesses
            let alignMask = witnesses.table == 0 ? 7 : witnesses.alignMask
            let size = witnesses.table == 0 ? 8 : witnesses.size
            let offset = self.place(size, alignMask, metadata.name)
            plans.append(metadata, at: offset, path: path, to: &layout)
        case .type(let metadata, let ownership):
            let offset = self.place(
                max(metadata.size, 8), 7, "\(ownership) \(Plans.payloadName(metadata))")
            layout.append(Operation.Kind(ownership), offset, plans.label(path))
        case .box: layout.append(.strong, self.place(8, 7, "box"), plans.label(path))
        case .closure(let isOwned):
            let offset = self.place(16, 7, "closure")
            if isOwned { layout.append(.function, offset, plans.label(path)) }
        case .word: _ = self.place(8, 7, "function")
        case .nothing: _ = self.place(0, 0, "type")
        case .notStrong(let ownership):
            layout.append(Operation.Kind(ownership), self.place(8, 7, "\(ownership)"), plans.label(path))
        case .missingArgument where name.isParameter:
            if certain == nil { certain = (layout, names, size) }
            assumed.append((name, self.place(8, 7, "?"), path, names.count - 1))
        case .missingArgument, .unknown:
            guard let lowered = plans.loweredLayout(name, in: environment, path: path) else {
                names.append(TypeQuestion.isRefused(name) ? name.text : "?")
                return false
            }
            let offset = self.place(lowered.size, lowered.alignMask, name.descriptor(0)?.name ?? name.text)
            for var operation in lowered.operations {
                operation.offset += offset
                layout.operations.append(operation)
            }
        }
        return true
    }
}

extension GenericEnvironment {
    /// All arguments, as a key for plans.
    fileprivate var key: [UInt] { levels.flatMap { [0] + $0 } }
}

extension Plans {
    /// The name of the type, without the `Optional` of weak references.
    fileprivate static func payloadName(_ metadata: Metadata) -> String {
        let isOptional = metadata.kind == .optional
        return (isOptional ? Metadata(Memory.word(metadata.valueArguments)) : metadata).name
    }
}
