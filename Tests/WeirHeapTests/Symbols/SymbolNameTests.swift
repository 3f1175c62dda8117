import Testing
import WeirHeap
import WeirTestSupport

/// Names as the compiler mangles them, from programs built with and without optimization.
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
    func `a symbol is reported in the words of the source`(symbol: String, text: String) throws {
        let full = try #require(HeapSymbols.demangled(symbol))
        let name = SymbolName(demangled: full)
        #expect(name.text == text, "\(full)")
        #expect(name.module == "Login", "\(full)")
    }

    @Test(arguments: [
        ("$s5Forms5localyyF0B8ComputedL_SivgyycfU_", "closure #1 in localComputed in local()"),
        ("$s5Forms5localyyF5ModelL_C2goyySiFyycfU_", "closure #1 in Model.go(_:)"),
        ("$s5Forms5localyyF5ModelL_C1NV1zyyADFyycfU_", "closure #1 in Model.N.z(_:)"),
        ("$s5Forms5localyyF5ModelL_CADycfcyycfU_", "closure #1 in Model.init()"),
        ("$s5Forms8defaultsyyyycFfA_yycfU_", "closure #1 in default argument 0 of defaults(_:)"),
        ("$sSa5FormsE4each5whereyyxc_tFyycfU_", "closure #1 in Array.each(where:)"),
        (
            "$s5Forms6Secret33_6AAF931DB128E009BE343B571FE46A4ELLC6hidden_4thenyx_yyXEtRlzCAA1PRzlFyycfU_",
            "closure #1 in Secret.hidden(_:then:)"
        ),
        (
            "$s5Forms6Secret33_6AAF931DB128E009BE343B571FE46A4ELLC2goyyF6$deferL_yyFyycfU_",
            "closure #1 in defer in Secret.go()"
        ),
        (
            "$sIeg_ytIegr_TR82$s5Forms6Secret33_6AAF931DB128E009BE343B571FE46A4ELLC8_wrappedAA1WVyyycGvpfiyycfU_Tf3npf_n",
            "closure #1 in Secret._wrapped"
        ),
    ])
    func `what stands inside of functions, extensions and files is reported by what it is in`(
        symbol: String, text: String
    ) throws {
        let full = try #require(HeapSymbols.demangled(symbol))
        let name = SymbolName(demangled: full)
        #expect(name.text == text, "\(full)")
        #expect(name.module == "Forms", "\(full)")
    }

    @Test(arguments: [
        "$sIeg_ytIegr_TRTA", "$s5Forms5localyyF5ModelL_CN", "$s5Forms5localyyF5ModelL_CMa",
        "$sxIeAgHr_xs5Error_pIegHrzo_s8SendableRzs5NeverORs_r0_lTRTA.70TQ0_",
    ])
    func `a thunk, and what is no function or variable, has no name`(symbol: String) throws {
        let full = try #require(HeapSymbols.demangled(symbol))
        #expect(SymbolName(demangled: full).text == nil, "\(full)")
    }

    @Test func `a name in backticks is one name, whatever it contains`() {
        let name = SymbolName(
            demangled: "closure #1 () -> () in Forms.`raw in it`.`a (b) in c. <d`(x: Swift.Int) -> ()")
        #expect(
            name
                == SymbolName(demangled: "merged closure #1 () -> () in Forms.`raw in it`.`a (b) in c. <d`(x: A) -> ()")
        )
        #expect(name.text == "closure #1 in `raw in it`.`a (b) in c. <d`(x:)")
    }

    @Test func `whatever a name says, reading it comes to an end`() {
        let words = [
            "closure #1 ", "(", ")", "<", ">", "[", "]", "`", " in ", " -> ", ", ", ": ", "A", ".", " #1", "$defer",
            " of ", "é",
            "generic specialization <", "function signature specialization <", "[Closure Propagated : ",
            "partial apply forwarder for ",
            "static ", "(extension in A):", " resume partial function for ", "default argument ", "getter of ",
            "protocol witness for ",
        ]
        var random = SeededGenerator(seed: 1)
        var reported = 0
        for _ in 0..<Repeats.count(4000) {
            let text = (0..<Int.random(in: 0..<12, using: &random)).map { _ in words.randomElement(using: &random) ?? ""
            }.joined()
            if SymbolName(demangled: text).text != nil { reported += 1 }
        }
        #expect(reported > Repeats.count(300))
    }
}
