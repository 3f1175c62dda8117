import Testing

@testable import WeirTrace

/// Names from outside: their printed form; every path has a text and keeps its bytes.
struct PrintableTextTests {
    @Test(arguments: [
        ("plain ü 日本", "plain ü 日本"), ("a\u{1B}[31mb", #"a\u{1B}[31mb"#), ("a\nb\tc\rd", #"a\nb\tc\rd"#),
        ("pay\u{200B}pal", #"pay\u{200B}pal"#), ("a\u{202E}b\u{2066}", #"a\u{202E}b\u{2066}"#),
        ("soft\u{AD}hyphen", #"soft\u{AD}hyphen"#), ("\u{FEFF}x\u{2060}", #"\u{FEFF}x\u{2060}"#),
        ("\u{E0041}\u{E007F}", #"\u{E0041}\u{E007F}"#), ("\u{3164}", #"\u{3164}"#), ("caf\u{10FEE9}", #"caf\xE9"#),
        // Joiners and selectors belong to emoji, and to nothing else.
        ("❤\u{FE0F} 👩\u{200D}💻 🏳\u{FE0F}\u{200D}🌈", "❤\u{FE0F} 👩\u{200D}💻 🏳\u{FE0F}\u{200D}🌈"),
        ("a\u{200D}b", #"a\u{200D}b"#), ("1\u{FE0F}", #"1\u{FE0F}"#), ("\u{200D}💻", #"\u{200D}💻"#),
        ("💻\u{200D}", #"💻\u{200D}"#), ("💻\u{FE0F}\u{FE0F}", "💻\u{FE0F}\\u{FE0F}"),
    ])
    func `what could steer, reorder or hide is escaped`(_ text: String, _ escaped: String) {
        #expect(PrintableText.escaped(text) == escaped)
        #expect(PrintableText.escaped(escaped) == escaped, "once is enough")
    }

    @Test func `a quoted text tells its own quotation marks from those around it`() {
        #expect(PrintableText.escaped("a\"b\\n\n", isQuoted: true) == #"a\"b\\n\n"#)
    }

    @Test func `a long text is cut`() {
        #expect(PrintableText.brief(String(repeating: "x", count: 500)) == String(repeating: "x", count: 400) + "…")
        #expect(PrintableText.brief("\u{1B}", scalars: 1) == #"\u{1B}"#)
    }

    @Test func `all scalars that Unicode says are not to be seen are escaped, and no others`() {
        for value in 0...UInt32(0x10FFFF) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let properties = scalar.properties
            let isHidden =
                switch properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator: true
                // Signs of Arabic, Syriac, Kaithi and hieroglyphs are in this category too, and are visible.
                case .format: properties.isDefaultIgnorableCodePoint || (0xFFF9...0xFFFB).contains(value)
                default: properties.isDefaultIgnorableCodePoint
                }
            let holdsByte = (0x10FE80...0x10FEFF).contains(value)
            if PrintableText.mustBeEscaped(scalar) != (isHidden || holdsByte) {
                Issue.record("U+\(String(value, radix: 16))")
            }
        }
    }

    @Test func `every sequence of bytes has a text that gives them back`() {
        var samples: [[UInt8]] = [[]]
        for first in 0...UInt8.max {
            samples.append([first])
            for second in 0...UInt8.max { samples.append([first, second]) }
        }
        var random = SeededGenerator(state: 4)
        let likely: [UInt8] = [0x41, 0x80, 0xBF, 0xC3, 0xA9, 0xE2, 0x82, 0xAC, 0xF4, 0x8F, 0xBB, 0xA9, 0xED, 0xFF]
        for _ in 0..<20_000 {
            let count = Int.random(in: 3...9, using: &random)
            samples.append((0..<count).map { _ in likely.randomElement(using: &random) ?? 0 })
        }
        for bytes in samples {
            let text = SystemText.text(bytes)
            if SystemText.bytes(text) != bytes { Issue.record("\(bytes)") }
            let isSound = String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes)
            let holdsByte = text.unicodeScalars.contains { SystemText.byte(of: $0) != nil }
            if isSound, !holdsByte, !text.utf8.elementsEqual(bytes) { Issue.record("\(bytes)") }
            if !isSound, !holdsByte { Issue.record("\(bytes)") }
        }
    }

    @Test func `a text that holds what holds bytes is taken apart`() {
        let bytes = Array("x\u{10FEE9}y".utf8)
        #expect(SystemText.bytes(SystemText.text(bytes)) == bytes)
        #expect(PrintableText.escaped(SystemText.text(bytes)) == #"x\xF4\x8F\xBB\xA9y"#)
    }

    @Test func `errors say paths in printable words`() {
        let path = "a\u{1B}[2J\u{200B}\u{10FEE9}.weir"
        let shown = #"a\u{1B}[2J\u{200B}\xE9.weir"#
        let errors: [any Error] = [
            TraceError.missing(path: path), TraceError.isDirectory(path: path), TraceError.notAFile(path: path),
            TraceError.empty(path: path), TraceError.notATrace(path: path, offset: 0),
            TraceError.newerVersion(path: path, found: 2, known: 1), TraceError.damagedHeader(path: path, offset: 9),
            TraceError.damagedHeader(path: path, offset: TraceFormat.HeaderField.clock),
            TraceError.unreadable(path: path, offset: 0, code: 5),
            TraceWriterError.cannotCreate(path: path, code: 1, reason: "no"), TraceWriterError.notATrace(path: path),
            TraceWriterError.inUse(path: path), TraceWriterError.noRoom(path: path),
            TraceWriterError.fileTooLarge(path: path, limit: 1), TraceWriterError.alreadyRecording(path: path),
        ]
        for error in errors {
            let text = "\(error)"
            #expect(text.contains(shown) && !text.unicodeScalars.contains(where: PrintableText.mustBeEscaped))
        }
    }
}
