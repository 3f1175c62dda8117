/// A function that calls another one.
package struct HeapCaller: Equatable, Sendable {
    /// The name without the module: "closure #1 in LoginModel.init()"; nil for a thunk that does not say what it calls.
    ///
    /// A function without a mangled name, such as `main`, has its linker's name.
    package var name: String?
    /// The module of the function; nil: unknown, or no Swift code.
    package var module: String?
    /// Whether it only passes a value on: a property's setter, or a closure in one.
    package var isSetter = false

    init(mangled: String) {
        guard let full = HeapSymbols.demangled(mangled) else {
            name = mangled
            return
        }
        isSetter = [".setter : ", ".modify : ", ".modify2 : "].contains { full.contains($0) }
        let symbol = SymbolName(demangled: full)
        (name, module) = (symbol.text, symbol.module)
    }
}
