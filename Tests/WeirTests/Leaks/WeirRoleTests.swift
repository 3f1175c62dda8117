import Testing
import WeirAnalysis
import WeirTrace

@testable import Weir

/// The classes of Weir whose names decide in an analysis have these names.
struct WeirRoleTests {
    private func object(_ type: Any.Type) -> SnapshotObject {
        var object = SnapshotObject(kind: .instance, type: String(describing: type))
        object.isInternal = true
        return object
    }

    @Test func `Classes of Weir have their roles`() {
        let roles: [(type: Any.Type, role: WeirRole?)] = [
            (DisposeBag.self, .bag), (Combiner<Int>.self, .combiner), (InputCell<[Int]>.self, .input),
            (Sink<Int>.self, .subscription), (TerminalSink<Int>.self, .subscription),
            (InputSink<Int, Sink<Int>>.self, .subscription), (Observable<Int>.self, nil),
            (Waiting<Sink<Int>>.self, nil),
        ]
        for (type, role) in roles { #expect(object(type).role == role, "\(type)") }
        var subscription = object(Int.self)
        subscription.type = "subscription"
        #expect(subscription.role == .subscription)
    }

    @Test func `A class of the program has none, whatever its name`() {
        var own = object(Sink<Int>.self)
        own.isInternal = false
        #expect(own.role == nil)
    }
}
