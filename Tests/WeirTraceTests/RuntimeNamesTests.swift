import Testing

@testable import WeirTrace

struct RuntimeNamesTests {
    struct Countries<Value> {
        final class ViewModel {}
        final class Row {}
    }
    struct ViewModel {}
    private final class Presenter {}

    @Test func `A name that tells only a role follows that of the type around it`() {
        final class Coordinator {}
        let names: [(Any.Type, String)] = [
            (Int.self, "Int"), (RuntimeNamesTests.self, "RuntimeNamesTests"),
            (ViewModel.self, "RuntimeNamesTests.ViewModel"), (Countries<Int>.Row.self, "Row"),
            (Countries<[Int?]>.ViewModel.self, "Countries<Array<Optional<Int>>>.ViewModel"),
            (Presenter.self, "Presenter"), (Coordinator.self, "Coordinator"),
            (String.State.self, "State"), (String.Reducer.self, "String.Reducer"),
            (((Int) -> Bool).self, "(Int) -> Bool"),
        ]
        for (type, name) in names { #expect(RuntimeNames.distinctName(of: type) == name) }
    }
}

extension String {
    fileprivate struct State {}
    struct Reducer {}
}
