import Testing

@testable import Weir

struct TrackedTableTests {
    @Test func `it agrees with a dictionary`() {
        final class Thing {}
        var random = SystemRandomNumberGenerator()
        var things = (0..<40).map { _ in Thing() as Thing? }
        var table = TrackedTable()
        var plain: [ObjectIdentifier: TrackedObject] = [:]
        for number in 0..<2_000 {
            let place = Int.random(in: 0..<40, using: &random)
            let thing = things[place] ?? Thing()
            things[place] = thing
            let identity = ObjectIdentifier(thing)
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let tracked = TrackedObject(thing, label: nil, number: UInt64(number))
                #expect(table.update(tracked, identity) === plain.updateValue(tracked, forKey: identity))
            case 2:
                guard let tracked = plain.removeValue(forKey: identity) else { continue }
                table.remove(TrackedObject(thing, label: nil, number: 0), identity)
                #expect(table[identity] === tracked, "another object was taken out")
                table.remove(tracked, identity)
            default:
                things[place] = nil
            }
            #expect(table.count == plain.count && table.isEmpty == plain.isEmpty)
            #expect(plain.allSatisfy { table[$0.key] === $0.value })
            #expect(Set(table.gone.map(\.identity)) == Set(plain.filter { $0.value.isGone }.keys))
        }
        var all: [TrackedObject] = []
        table.forEach { all.append($0) }
        #expect(Set(all.map { ObjectIdentifier($0) }) == Set(plain.values.map { ObjectIdentifier($0) }))
    }
}
