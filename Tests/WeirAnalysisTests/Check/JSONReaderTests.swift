import Foundation
import Testing

@testable import WeirReport

struct JSONReaderTests {
    @Test(arguments: [
        ("{\"a\": [1, -2.5, true, null, \"x\"]}", #"{"a":[1,-2.5,true,null,"x"]}"#), (" [ ] ", "[]"), ("{}", "{}"),
        (#""\u00e9\ud83d\ude00\n\"\\\/""#, "\"é😀\\n\\\"\\\\/\""), ("0", "0"), ("-0", "0"), ("1e2", "100.0"),
        ("9223372036854775808", "9.223372036854776e+18"),
    ])
    func `values are read as they are written`(_ text: String, _ written: String) throws {
        #expect(try JSONReader.value(of: text).text == written)
    }

    @Test(arguments: [
        ("", 1, 1, "a value is missing"), ("{\n  \"a\": 1,\n}", 3, 1, "a name in double quotes is missing"),
        ("[1 2]", 1, 4, "a ',' or ']' is missing"), ("{\"a\" 1}", 1, 6, "a ':' is missing"),
        ("[1]x", 1, 4, "the document ends before this"),
        ("\"a\nb\"", 1, 3, "a line break or control character in a text must be escaped"),
        ("{\"a\":1,\"a\":2}", 1, 8, "\"a\" is given twice"), ("[01]", 1, 2, "this is no number"),
        ("\"\\ud800\"", 1, 8, "half of a surrogate pair is missing"), ("\"\\x\"", 1, 3, "there is no such escape"),
        ("tru", 1, 1, "this is no JSON value"), ("\"a", 1, 3, "a '\"' is missing"),
    ])
    func `a mistake is reported with its line and column`(_ text: String, _ line: Int, _ column: Int, _ problem: String)
    {
        #expect(throws: JSONError(line: line, column: column, problem: problem)) { try JSONReader.value(of: text) }
    }

    @Test func `deep documents are refused`() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: JSONError(line: 1, column: 66, problem: "it is nested more than 64 levels deep")) {
            try JSONReader.value(of: deep)
        }
    }

    @Test func `random texts are read exactly where another reader reads them`() throws {
        var random = RandomNumbers(seed: 8259)
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"a\"", "\"b\"", "1", "-1.5e3", "true", "null", " ", "\"\\u0041\"", "0", ".",
        ]
        for _ in 0..<5000 {
            let text = (0..<random.number(below: 8)).map { _ in pieces[random.number(below: pieces.count)] }.joined()
            let ours = try? JSONReader.value(of: text)
            let theirs = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: [.fragmentsAllowed])
            // Names that are given twice are a mistake for a policy, and none for JSON.
            if ours == nil, theirs != nil, text.contains("\"a\""), text.contains(":") { continue }
            if ours == nil, theirs != nil, text.contains("\"b\""), text.contains(":") { continue }
            #expect((ours != nil) == (theirs != nil), "\(text)")
        }
    }
}
