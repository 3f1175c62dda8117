import Foundation
import Testing
import WeirReport

struct JSONTests {
    @Test func `members keep their order, and numbers their digits`() {
        let value: JSONValue = [
            "b": .unsigned(.max), "a": .array([.null, true, .double(0.5), .float(0.1)]), "c": .object([]),
        ]
        #expect(value.text == #"{"b":18446744073709551615,"a":[null,true,0.5,0.1],"c":{}}"#)
    }

    @Test func `indented text has one member a line`() {
        let value: JSONValue = ["a": .array([.signed(-1)]), "b": .array([])]
        #expect(
            value.indentedText == """
                {
                  "a": [
                    -1
                  ],
                  "b": []
                }
                """)
    }

    @Test func `strings are escaped for JSON and for terminals`() {
        #expect(
            JSONValue.string("\"\\\n\r\t\u{1B}\u{9B}\u{202E}é日").text == #""\"\\\n\r\t\u001b\u009b\u202eé日""#)
    }

    @Test func `numbers that JSON cannot say become strings`() {
        #expect(JSONValue.array([.double(.nan), .double(-.infinity)]).text == #"["nan","-inf"]"#)
    }

    @Test func `another decoder reads back what was written`() throws {
        let text = String(String.UnicodeScalarView((1...0x2FFF).compactMap { Unicode.Scalar(UInt32($0)) }))
        let value = JSONValue.object([.init(name: text, value: .array([.string(text), .signed(.min)]))])
        for written in [value.text, value.indentedText] {
            let read = try JSONDecoder().decode([String: [Either]].self, from: Data(written.utf8))
            #expect(read == [text: [.text(text), .number(.min)]])
        }
    }

    private enum Either: Decodable, Equatable {
        case text(String)
        case number(Int64)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            do { self = .text(try container.decode(String.self)) } catch {
                self = .number(try container.decode(Int64.self))
            }
        }
    }
}
