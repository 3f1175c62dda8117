import Testing
import WeirHeap

/// Names as the compiler mangles them, of programs built with and without optimization.
struct SymbolNameTests {
    @Test(arguments: [
        ("$s5Login0A5ModelCACycfcyycfU_", "closure #1 in LoginModel.init()"),
        ("$s5Login0A5ModelCACycfcS2icfU0_TA", "closure #2 in LoginModel.init()"),
        ("$s5Login0A5ModelC6nestedyyFyycfU_yycfU_", "closure #1 in closure #1 in LoginModel.nested()"),
        ("$s5Login0A5ModelC6nestedyyFyycfU_TA.2", "closure #1 in LoginModel.nested()"),
        ("$s5Login0A5ModelC6nestedyyFyycfU_TATm", "closure #1 in LoginModel.nested()"),
        ("$s5Login0A5ModelC5asyncyyYacyFyyYacfU_TATu", "closure #1 in LoginModel.async()"),
        ("$s5Login0A5ModelC5asyncyyYacyFyyYacfU_TATQ0_", "closure #1 in LoginModel.async()"),
        ("$s5Login0A5ModelC5asyncyyYacyFyyYacfU_TY1_", "closure #1 in LoginModel.async()"),
        ("$s5Login0A5ModelC5laterSSycvgSSycfU_TA", "closure #1 in LoginModel.later"),
        ("$s5Login0A5ModelC6rebindyyFyycACcfu_yycfu0_TA", "method reference in LoginModel.rebind()"),
        ("$s5Login0A5ModelC6rebindyyFyycACcfu_", "implicit closure #1 in LoginModel.rebind()"),
        ("$s5Login0A5ModelC7useAutoyyFSbycfu_TA", "implicit closure #1 in LoginModel.useAuto()"),
        ("$s5Login0A5ModelC3extyyF5localL_yyFTA", "local() in LoginModel.ext()"),
        ("$s5Login0A5ModelC4autoyySbyXAFS2icfU_TA.16", "closure #1 in LoginModel.auto(_:)"),
        ("$s5Login0A5ModelC7genericyxycxlFxycfU_", "closure #1 in LoginModel.generic(_:)"),
        ("$s5Login0A5ModelC7genericyxycxlFxycfU_Si_Tg5", "closure #1 in LoginModel.generic(_:)"),
        ("$s5Login0A5ModelC6sharedACvpZ", "static LoginModel.shared"),
        ("$s5Login7sessionAA0A5ModelCSgvp", "session"),
        ("$s5Login5OuterV7SessionV7currentAEvpZ", "static Outer.Session.current"),
        ("$s5LoginS2icfU0_", "closure #2 in Login"),
    ])
    func `a symbol is told in the words of the source`(symbol: String, text: String) throws {
        let full = try #require(HeapSymbols.demangled(symbol))
        let name = SymbolName(demangled: full)
        #expect(name.text == text, "\(full)")
        #expect(name.module == "Login", "\(full)")
    }
}
