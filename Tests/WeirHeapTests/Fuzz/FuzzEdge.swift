/// A way to make one node refer to others.
enum FuzzEdge: CaseIterable {
    case plain, list, slice, byNumber, inherited
    case choiceOne, choiceTwo, choiceFunction, choiceDeep, choices
    case anything, anythingArray, anyObject, smallHolder, largeHolder, anyKey
    case result, error, optionalTuple, tuples, twiceOptional, keys, nested
    case box, boxHandler, boxFunctions
    case closure, closureOfClosure, closureOfTuple, closureOfVariable, asyncClosure, method
    case closureWeak, closureUnowned, closureUnsafe, lazyHandler
    case weakly, unownedly, unsafely, unmanaged, weakHolders

    /// Edges that write the same property, of which a node can have only one; nil if it can have any number.
    private var property: String? {
        switch self {
        case .list, .byNumber, .choices, .tuples, .keys, .nested, .closure, .closureOfClosure, .closureOfTuple,
            .asyncClosure, .method, .closureWeak, .closureUnowned, .closureUnsafe, .lazyHandler, .weakHolders:
            nil
        case .choiceOne, .choiceTwo, .choiceFunction, .choiceDeep: "choice"
        case .anything, .anythingArray: "anything"
        case .smallHolder, .largeHolder: "anyHolder"
        default: "\(self)"
        }
    }

    /// Makes `source` refer to `first`, and perhaps to `second`.
    ///
    /// Returns the nodes that `source` then holds, once for each strong reference.
    ///
    /// - Parameter used: the properties of `source` that were already written.
    @inline(never)
    func connect(_ source: FuzzNode, _ first: FuzzNode, _ second: FuzzNode, _ used: inout Set<String>) -> [FuzzNode] {
        if let property, !used.insert(property).inserted { return [] }
        return connectValue(source, first, second) ?? connectClosure(source, first, second)
    }

    @inline(never)
    private func connectValue(_ source: FuzzNode, _ first: FuzzNode, _ second: FuzzNode) -> [FuzzNode]? {
        switch self {
        case .plain: source.plain = first
        case .list: source.list.append(first)
        case .slice:
            // A slice keeps the whole array.
            source.slice = [second, first][1...]
            return [first, second]
        case .byNumber: source.byNumber[source.byNumber.count &* 7919] = first
        case .inherited: source.basePlain = first
        case .choiceOne: source.choice = .one(first)
        case .choiceTwo:
            source.choice = .two(first, second)
            return [first, second]
        case .choiceDeep: source.choice = .deep(first, 4)
        case .choices:
            source.choices += [
                .two(first, second), .text("a text number \(source.choices.count) on the heap"), .number(-1),
            ]
            return [first, second]
        case .anything: source.anything = first
        case .anythingArray:
            source.anything = [first, 3, second] as [Any]
            return [first, second]
        case .anyObject: source.anyObject = first
        case .smallHolder: source.anyHolder = FuzzSmall(node: first)
        case .largeHolder:
            source.anyHolder = FuzzLarge(node: first, other: second)
            return [first, second]
        case .anyKey: source.anyKey = AnyHashable(FuzzKey(first))
        case .result:
            source.result = source.number % 2 == 0 ? .success(first) : .failure(FuzzError(node: first))
        case .error: source.error = FuzzError(node: first)
        case .optionalTuple: source.optionalTuple = (5, first)
        case .tuples: source.tuples.append(("key", first))
        case .twiceOptional: source.twiceOptional = .some(.some(first))
        case .keys: source.keys.insert(FuzzKey(first))
        case .box: source.box = FuzzBox(first)
        case .weakly:
            source.weakly = first
            return []
        case .unownedly:
            source.unownedly = first
            return []
        case .unsafely:
            source.unsafely = first
            return []
        case .unmanaged:
            source.unmanaged = .passUnretained(first)
            return []
        case .weakHolders:
            source.weakHolders.append(FuzzWeakHolder(node: first))
            return []
        default: return nil
        }
        return [first]
    }

    @inline(never)
    private func connectClosure(_ source: FuzzNode, _ first: FuzzNode, _ second: FuzzNode) -> [FuzzNode] {
        switch self {
        case .choiceFunction: source.choice = .function { fuzzUse(first) }
        case .nested:
            source.nested["key \(source.nested.count)", default: []].append((first, { fuzzUse(second) }))
            return [first, second]
        case .boxHandler:
            let box = FuzzBox(3)
            box.handler = { number in
                fuzzUse(number)
                fuzzUse(first)
            }
            source.boxOfNumber = box
        case .boxFunctions:
            let box = FuzzBox { (number: Int) in
                fuzzUse(first)
                return number
            }
            box.bind(second)
            source.boxOfFunction = box
            return [first, second]
        case .closure: source.handlers.append { fuzzUse(first) }
        case .closureOfClosure:
            let inner = { fuzzUse(first) }
            source.handlers.append {
                inner()
                fuzzUse(second)
            }
            return [first, second]
        case .closureOfTuple:
            let tuple = (first, 3, { fuzzUse(second) })
            source.handlers.append {
                fuzzUse(tuple.0)
                tuple.2()
            }
            return [first, second]
        case .closureOfVariable:
            var variable: FuzzNode? = first
            source.baseHandler = {
                fuzzUse(variable)
                if variable?.number == -1 { variable = nil }
            }
        case .asyncClosure: source.asyncHandlers.append { fuzzUse(first) }
        case .method: source.handlers.append(first.touch)
        case .closureUnowned:
            source.handlers.append { [unowned first, second] in
                fuzzUse(first)
                fuzzUse(second)
            }
            return [second]
        case .closureWeak:
            source.handlers.append { [weak first] in fuzzUse(first) }
            return []
        case .closureUnsafe:
            source.handlers.append { [unowned(unsafe) first] in fuzzUse(first) }
            return []
        case .lazyHandler:
            fuzzUse(source.lazyHandler)
            return []
        default: return []
        }
        return [first]
    }
}
