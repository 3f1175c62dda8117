import Testing

private final class Bag: Counted {
    var array: [AnyObject] = []
    var nested: [[AnyObject]] = []
    var optionals: [AnyObject?] = []
    var slice: ArraySlice<AnyObject> = []
    var contiguous: ContiguousArray<AnyObject> = []
    var contiguousOptionals: ContiguousArray<PlantedNode?> = []
    var dictionary: [String: AnyObject] = [:]
    var numbered: [Int: AnyObject] = [:]
    var keyed: [PlantedKey: Int] = [:]
    var set: Set<PlantedKey> = []
    var sets: [Set<PlantedKey>] = []
    var hashable: [AnyHashable: Any] = [:]
    var lists: [String: [AnyObject]] = [:]
    var tuples: [(String, AnyObject)] = []
    var pairs: [(name: String, value: (Int, AnyObject))] = []
    var values: Dictionary<String, AnyObject>.Values?
    var reversed: ReversedCollection<[AnyObject]>?
    var one: CollectionOfOne<AnyObject>?
    var repeated: Repeated<AnyObject>?
    var enumerated: EnumeratedSequence<[AnyObject]>?
    var zipped: Zip2Sequence<[Int], [AnyObject]>?
    var erased: AnySequence<AnyObject>?
    var iterator: IndexingIterator<[AnyObject]>?
    var anyIterator: AnyIterator<AnyObject>?
    var lazyMap: LazyMapSequence<[AnyObject], AnyObject>?
    var anything: [Any] = []
    var keyedPairs: KeyValuePairs<String, AnyObject> = [:]
    var difference: CollectionDifference<PlantedKey>?
}

extension Corpus {
    mutating func plantCollections() {
        about("collections")
        leaks("an element of an array", "Bag.array[2] → Bag") {
            let bag = Bag()
            bag.array = [PlantedNode(), PlantedNode(), bag, PlantedNode()]
            return Plant(bag)
        }
        leaks("an element of an array of arrays", "Bag.nested[1][0] → Bag") {
            let bag = Bag()
            bag.nested = [[], [bag], [PlantedNode()]]
            return Plant(bag)
        }
        leaks("an element of an array of optionals", "Bag.optionals[1] → Bag") {
            let bag = Bag()
            bag.optionals = [nil, bag, nil]
            return Plant(bag)
        }
        leaks("an element of a slice", "Bag.slice…[1] → Bag") {
            let bag = Bag()
            let objects: [AnyObject] = [PlantedNode(), bag, PlantedNode()]
            bag.slice = objects[1..<2]
            return Plant(bag)
        }
        leaks("an element outside of a slice, which its buffer holds", "Bag.slice…[0] → Bag") {
            let bag = Bag()
            let objects: [AnyObject] = [bag, PlantedNode(), PlantedNode()]
            bag.slice = objects[1..<3]
            return Plant(bag)
        }
        leaks("an element of a contiguous array", "Bag.contiguous[1] → Bag") {
            let bag = Bag()
            bag.contiguous = [PlantedNode(), bag]
            return Plant(bag)
        }
        leaks("an element of a contiguous array of optionals", "Bag.contiguousOptionals[1] → PlantedNode.object → Bag")
        {
            let bag = Bag(), node = PlantedNode()
            node.object = bag
            bag.contiguousOptionals = [nil, node, nil]
            return Plant(bag)
        }
        leaks("a value of a dictionary", "Bag.dictionary[key] → Bag") {
            let bag = Bag()
            bag.dictionary = ["back": bag, "other": PlantedNode()]
            return Plant(bag)
        }
        leaks("one value of a large dictionary", "Bag.numbered[key] → Bag") {
            let bag = Bag()
            for number in 0..<500 { bag.numbered[number] = number == 321 ? bag : PlantedNode() }
            return Plant(bag)
        }
        leaks("a key of a dictionary", "Bag.keyed(key) → PlantedKey.reference → PlantedNode.object → Bag") {
            let bag = Bag(), node = PlantedNode()
            node.object = bag
            bag.keyed[PlantedKey(node)] = 1
            bag.keyed[PlantedKey()] = 2
            return Plant(bag)
        }
        leaks("an element of a set", "Bag.set[element] → PlantedKey.reference → PlantedNode.object → Bag") {
            let bag = Bag(), node = PlantedNode()
            node.object = bag
            for _ in 0..<20 { bag.set.insert(PlantedKey()) }
            bag.set.insert(PlantedKey(node))
            return Plant(bag)
        }
        leaks("a set in an array", "Bag.sets[1][element] → PlantedKey.reference → PlantedNode.object → Bag") {
            let bag = Bag(), node = PlantedNode()
            node.object = bag
            bag.sets = [[], [PlantedKey(node)]]
            return Plant(bag)
        }
        leaks("any value under any key", "Bag.hashable[key] → Bag") {
            let bag = Bag()
            bag.hashable["back"] = bag
            bag.hashable[3] = 4
            return Plant(bag)
        }
        leaks("an object in a type-erased key", "Bag.hashable(key)… → PlantedKey.reference → PlantedNode.object → Bag")
        {
            let bag = Bag(), node = PlantedNode()
            node.object = bag
            bag.hashable[AnyHashable(PlantedKey(node))] = 4
            return Plant(bag)
        }
        leaks("a dictionary of arrays", "Bag.lists[key][1] → Bag") {
            let bag = Bag()
            bag.lists["list", default: []].append(PlantedNode())
            bag.lists["list", default: []].append(bag)
            return Plant(bag)
        }
        leaks("an array of tuples", "Bag.tuples[1].1 → Bag") {
            let bag = Bag()
            bag.tuples = [("first", PlantedNode()), ("second", bag)]
            return Plant(bag)
        }
        leaks("an array of nested tuples with labels", "Bag.pairs[0].value.1 → Bag") {
            let bag = Bag()
            bag.pairs = [(name: "pair", value: (1, bag))]
            return Plant(bag)
        }
        leaks("the values of a dictionary", "Bag.values…[key] → Bag") {
            let bag = Bag()
            let dictionary: [String: AnyObject] = ["back": bag]
            bag.values = dictionary.values
            return Plant(bag)
        }
        leaks("a reversed array", "Bag.reversed…[0] → Bag") {
            let bag = Bag()
            bag.reversed = ([bag] as [AnyObject]).reversed()
            return Plant(bag)
        }
        leaks("a collection of one", "Bag.one… → Bag") {
            let bag = Bag()
            bag.one = CollectionOfOne(bag)
            return Plant(bag)
        }
        leaks("a repeated element", "Bag.repeated… → Bag") {
            let bag = Bag()
            bag.repeated = repeatElement(bag, count: 3)
            return Plant(bag)
        }
        leaks("an enumerated array", "Bag.enumerated…[1] → Bag") {
            let bag = Bag()
            bag.enumerated = ([PlantedNode(), bag] as [AnyObject]).enumerated()
            return Plant(bag)
        }
        leaks("two zipped arrays", "Bag.zipped…[0] → Bag") {
            let bag = Bag()
            bag.zipped = zip([1], [bag])
            return Plant(bag)
        }
        leaks("a type-erased sequence", "Bag.erased… → _SequenceBox<Array<AnyObject>>… → Bag") {
            let bag = Bag()
            bag.erased = AnySequence([bag])
            return Plant(bag)
        }
        leaks("an iterator", "Bag.iterator…[0] → Bag") {
            let bag = Bag()
            bag.iterator = ([bag] as [AnyObject]).makeIterator()
            return Plant(bag)
        }
        leaks("a type-erased iterator", "Bag.anyIterator… → _IteratorBox<IndexingIterator<Array<AnyObject>>>… → Bag") {
            let bag = Bag()
            bag.anyIterator = AnyIterator(([bag] as [AnyObject]).makeIterator())
            return Plant(bag)
        }
        leaks("a lazy map over the owner", "Bag.lazyMap…[0] → Bag") {
            let bag = Bag()
            bag.lazyMap = ([bag] as [AnyObject]).lazy.map { $0 }
            return Plant(bag)
        }
        leaks("an array of anything", "Bag.anything[3] → Bag") {
            let bag = Bag()
            bag.anything = [1, "two", (3, 4.5), bag]
            return Plant(bag)
        }
        leaks("pairs of keys and values", "Bag.keyedPairs…[0].1 → Bag") {
            let bag = Bag()
            bag.keyedPairs = ["back": bag]
            return Plant(bag)
        }
        leaks("a difference of collections", "Bag.difference… → PlantedKey.reference → PlantedNode.object → Bag") {
            let bag = Bag(), node = PlantedNode()
            node.object = bag
            bag.difference = [PlantedKey(node)].difference(from: [])
            return Plant(bag)
        }
        leaks("one storage that two fields share", "Bag.…[0] → Bag") {
            let bag = Bag()
            let shared: [AnyObject] = [bag, PlantedNode()]
            bag.array = shared
            bag.nested = [shared]
            return Plant(bag)
        }
        leaks(
            "one storage that two owners share", "Bag.array[0] → Bag", "Bag.array[1] → Bag"
        ) {
            let bag = Bag(), other = Bag()
            let shared: [AnyObject] = [bag, other]
            bag.array = shared
            other.array = shared
            return Plant(bag)
        }
    }
}
