/// The rules for valid input.
enum FormRules {
    static let initialPhone = "186"

    /// The numbers of Chinese mobile phones, as `^1(3[0-9]|5[0-35-9]|8[0-25-9])\d{8}$`.
    static func isPhone(_ text: String) -> Bool {
        let digits = Array(text.utf8)
        guard digits.count == 11, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return false }
        switch (text.prefix(2), digits[2] - UInt8(ascii: "0")) {
        case ("13", _): return true
        case ("15", let third): return third != 4
        case ("18", let third): return third != 3 && third != 4
        default: return false
        }
    }

    static func isPassword(_ text: String) -> Bool { text.count >= 8 }
}
