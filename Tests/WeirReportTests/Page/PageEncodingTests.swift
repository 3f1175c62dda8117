import Testing

@testable import WeirReport

@Suite struct PageEncodingTests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            String(repeating: "a", count: 1000),
            "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"
        ),
    ])
    func `SHA-256 of the standard's examples`(text: String, digest: String) {
        let found = SHA256.digest(of: Array(text.utf8)).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }
        #expect(found.joined() == digest)
    }

    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `base 64 of RFC 4648's examples`(text: String, encoded: String) {
        #expect(Base64.text(of: Array(text.utf8)) == encoded)
    }

    @Test func `compressed bytes come back as they were`() throws {
        var seed = UInt64(7)
        func next() -> UInt64 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return seed >> 33
        }
        var inputs: [[UInt8]] = [[], [1], [1, 2, 3], Array("abcabcabcabcabcabcd".utf8)]
        inputs.append(Array(repeating: 0, count: 100_000))
        for round in 0..<40 {
            // From nearly constant to random bytes, with repetitions at all distances.
            let letters = UInt64(1 + round * 6)
            var bytes = (0..<Int(next() % 5000)).map { _ in UInt8(truncatingIfNeeded: next() % letters) }
            while bytes.count < 60_000, round % 3 == 0, !bytes.isEmpty {
                let start = Int(next()) % bytes.count
                bytes += bytes[start..<min(bytes.count, start + Int(next() % 700) + 1)]
            }
            inputs.append(bytes)
        }
        for input in inputs {
            let compressed = Deflate.compressed(input)
            #expect(try inflated(compressed) == input)
        }
        #expect(Deflate.compressed(inputs[4]).count < 1000, "a hundred thousand zeros take little room")
    }
}

/// Decompresses blocks with the fixed codes, bit by bit, as RFC 1951 reads.
private func inflated(_ bytes: [UInt8]) throws -> [UInt8] {
    struct Malformed: Error {}
    var place = 0
    func bit() throws -> Int {
        guard place / 8 < bytes.count else { throw Malformed() }
        defer { place += 1 }
        return Int(bytes[place / 8] >> UInt8(place % 8)) & 1
    }
    func number(_ count: Int) throws -> Int { try (0..<count).reduce(0) { try $0 | bit() << $1 } }
    func code(_ count: Int) throws -> Int { try (0..<count).reduce(0) { code, _ in try code << 1 | bit() } }
    func symbol() throws -> Int {
        var found = try code(7)
        if found < 24 { return 256 + found }
        found = found << 1 | (try bit())
        if found < 0xC0 { return found - 0x30 }
        if found < 0xC8 { return 280 + found - 0xC0 }
        found = found << 1 | (try bit())
        return 144 + found - 0x190
    }
    let lengths = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
    let distances = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
        6145,
        8193, 12289, 16385, 24577,
    ]
    guard try bit() == 1, try number(2) == 1 else { throw Malformed() }
    var output: [UInt8] = []
    while true {
        let found = try symbol()
        if found == 256 { return output }
        if found < 256 {
            output.append(UInt8(found))
            continue
        }
        let length = found == 285 ? 0 : found < 265 ? 0 : (found - 261) / 4
        let count = lengths[found - 257] + (try number(length))
        let step = try code(5)
        let distance = distances[step] + (try number(step < 4 ? 0 : step / 2 - 1))
        guard distance <= output.count else { throw Malformed() }
        for _ in 0..<count { output.append(output[output.count - distance]) }
    }
}
