import Testing

private final class Plain: Counted {
    var text = "short"
    var long = ""
    var part: Substring = ""
    var views: [String.UTF8View] = []
    var scalars = "".unicodeScalars
    var partOfView = Substring("").utf8
    var character: Character = "👩‍👩‍👧‍👦"
    var static1: StaticString = "static"
    var numbers: [Int] = []
    var bytes: [UInt8] = []
    var table: [String: Int] = [:]
    var words: [UInt] = []
    var range: ClosedRange<Int>?
    var pointer: UnsafeMutablePointer<UInt>?
    var convention: @convention(c) (Int) -> Int = { $0 }
    var path: KeyPath<Plain, String>?
    var paths: [AnyKeyPath] = []
    var vector = SIMD4<UInt>()
    var empty: [AnyObject] = []
    var emptyTable: [String: AnyObject] = [:]
    var emptySet: Set<PlantedKey> = []
    var objects: [AnyObject] = []
    var objectTable: [Int: AnyObject] = [:]
    var objectSet: Set<PlantedKey> = []
    var handler: (() -> Void)?
    var handlers: [() -> Void] = []
    var anything: Any = 0
    var generic: (any Collection)?
    var duration = Duration.seconds(1)

    subscript(key: PlantedKey) -> Int { key.reference?.value ?? 0 }

    @inline(never) func run(_ body: () -> Void) { body() }
    @inline(never) func escapeBriefly(_ body: () -> Void) {
        withoutActuallyEscaping(body) { escaping in
            handlers.append(escaping)
            handlers.removeLast()
        }
    }
    func go() {}
}

private enum Constants {
    static let numbers = [1, 2, 3]
    static let table = ["one": 1, "two": 2]
    static let texts = ["a text that is too long to be stored in place", "and another one that is as long"]
}

extension Corpus {
    mutating func plantNearMisses() {
        about("near misses")
        silent("strings of all kinds") {
            let plain = Plain()
            plain.long = String(repeating: "x", count: opaque(200))
            plain.part = plain.long.dropFirst(3).prefix(50)
            plain.anything = [plain.long, String(plain.part), "literal that is too long to be stored in place"]
            plain.table = [plain.long: 1, "short": 2]
            plain.views = ["literal that is too long to be stored in place".utf8, plain.long.utf8, "short".utf8]
            plain.scalars = "another literal that is too long to be stored in place".unicodeScalars
            plain.partOfView = "a third literal that is too long to be stored in place".dropFirst(2).utf8
            return Plant(keeping: plain)
        }
        silent("empty collections, which all share one storage") {
            let plain = Plain()
            plain.anything = ([AnyObject](), [String: AnyObject](), Set<PlantedKey>(), "")
            return Plant(keeping: plain)
        }
        silent("constant collections, which never die") {
            let plain = Plain()
            plain.numbers = Constants.numbers
            plain.table = Constants.table
            plain.anything = Constants.texts
            plain.generic = [1, 2, 3]
            return Plant(keeping: plain)
        }
        silent("numbers that look like addresses") {
            let plain = Plain()
            let number = UInt(bitPattern: Unmanaged.passUnretained(plain).toOpaque())
            plain.words = [number, number]
            plain.numbers = [Int(bitPattern: number)]
            plain.vector = SIMD4(repeating: number)
            plain.range = 0...Int(bitPattern: number)
            return Plant(keeping: plain)
        }
        silent("a closure that captures a number like an address") {
            let plain = Plain()
            let number = opaque(UInt(bitPattern: Unmanaged.passUnretained(plain).toOpaque()))
            let pair = opaque((number, UInt8(1)))
            plain.handler = { use((number, pair)) }
            return Plant(keeping: plain)
        }
        silent("closures that capture nothing") {
            let plain = Plain()
            plain.handler = { use(1) }
            plain.handlers = [{}, { use("text") }]
            return Plant(keeping: plain)
        }
        silent("an element that was removed, whose address remains behind the end") {
            let plain = Plain()
            plain.objects.reserveCapacity(8)
            plain.objects.append(PlantedNode())
            plain.objects.append(plain)
            plain.objects.removeLast()
            plain.handlers.reserveCapacity(8)
            plain.handlers.append { plain.go() }
            plain.handlers.removeAll(keepingCapacity: true)
            return Plant(keeping: plain)
        }
        silent("values that were removed from a table and a set") {
            let plain = Plain(), key = PlantedKey()
            for number in 0..<40 { plain.objectTable[number] = plain }
            for number in 0..<40 where number != 7 { plain.objectTable[number] = nil }
            plain.objectTable[7] = PlantedNode()
            plain.objectSet = [key, PlantedKey()]
            plain.objectSet.remove(key)
            return Plant(keeping: plain)
        }
        silent("a cycle that was cut") {
            let first = PlantedNode(), second = PlantedNode()
            first.next = second
            second.next = first
            second.next = nil
            return Plant(keeping: first)
        }
        silent("a closure that was replaced") {
            let plain = Plain()
            plain.handler = { plain.go() }
            plain.handler = nil
            plain.anything = { plain.go() }
            plain.anything = 3
            return Plant(keeping: plain)
        }
        silent("closures that do not escape") {
            let plain = Plain()
            plain.run { plain.go() }
            plain.escapeBriefly { plain.go() }
            return Plant(keeping: plain)
        }
        silent("a child that two share") {
            let top = PlantedNode(), left = PlantedNode(), right = PlantedNode(), shared = PlantedNode()
            top.list = [left, right]
            left.next = shared
            right.next = shared
            right.object = shared
            return Plant(keeping: top)
        }
        silent("a child that is also held by the test") {
            let top = PlantedNode(), child = PlantedNode()
            top.next = child
            return Plant(keeping: top, child, child)
        }
        silent("key paths") {
            let plain = Plain()
            plain.path = \Plain.text
            plain.paths = [\Plain.long, \Plain.numbers, \Plain.text.count]
            return Plant(keeping: plain)
        }
        silent("a function of C") {
            let plain = Plain()
            plain.convention = { $0 + 1 }
            plain.anything = plain.convention
            return Plant(keeping: plain)
        }
        silent("a large graph without a cycle") {
            var layer = (0..<200).map { _ in PlantedNode() }
            for _ in 0..<20 {
                layer = layer.indices.map { place in
                    let node = PlantedNode()
                    node.next = layer[place]
                    node.list = [layer[(place + 7) % 200], layer[(place + 13) % 200]]
                    return node
                }
            }
            let top = PlantedNode()
            top.list = layer
            return Plant(keeping: top)
        }
        silent("a chain of 50,000") {
            let top = PlantedNode()
            var last = top
            for _ in 0..<50_000 {
                let node = PlantedNode()
                last.next = node
                last = node
            }
            return Plant(keeping: top).holding(top, by: 0) { [unowned top] in
                var rest = top.next
                top.next = nil
                while let node = rest {
                    rest = node.next
                    node.next = nil
                }
            }
        }
    }
}
