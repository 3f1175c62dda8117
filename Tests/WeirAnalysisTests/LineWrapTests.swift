import Testing

@testable import WeirReport

struct LineWrapTests {
    @Test func `a table breaks between its columns`() {
        let table = """
              Node               Emissions  Made at
              LoginModel.name            4  Login/LoginModel.swift:12
              Short                      4  A.swift:1
            """
        #expect(
            LineWrap.wrapped(table, to: 48) == """
                  Node               Emissions  Made at
                  LoginModel.name            4
                        Login/LoginModel.swift:12
                  Short                      4  A.swift:1
                """)
    }

    @Test func `a sentence breaks at spaces, and colours take no columns`() {
        #expect(
            LineWrap.wrapped("a sentence of six words, no more", to: 20) == "a sentence of six\n      words, no more")
        let coloured = Style(isColored: true)(.name, "sentence")
        #expect(LineWrap.wrapped("a \(coloured) of six", to: 17) == "a \(coloured) of six")
        #expect(LineWrap.wrapped("a \(coloured) of six", to: 16) == "a \(coloured) of\n      six")
    }

    @Test(arguments: [1, 2, 7, 20, 80]) func `no text is lost, and only words that are too long leave the line`(
        columns: Int
    ) {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let words = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                String(repeating: "x", count: Int.random(in: 0...12, using: &random))
                    + String(repeating: " ", count: Int.random(in: 0...3, using: &random))
            }
            let text = words.joined()
            let wrapped = LineWrap.wrapped(text, to: columns)
            #expect(wrapped.filter { $0 == "x" } == text.filter { $0 == "x" })
            for line in wrapped.split(separator: "\n") where line.count > columns {
                #expect(!line.drop { $0 == " " }.contains(" "), "\(line)")
            }
        }
    }
}
