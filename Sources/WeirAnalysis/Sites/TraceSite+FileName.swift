import WeirTrace

extension TraceSite {
    /// The file's name without its module and folders: "LoginView.swift".
    package var fileName: String { file.lastPart(separatedBy: "/") }
}

extension String {
    /// The text after the last separator; separators at the end do not count.
    func lastPart(separatedBy separator: Unicode.Scalar) -> String {
        let byte = UInt8(ascii: separator)
        guard let last = utf8.lastIndex(where: { $0 != byte }) else { return self }
        let start = utf8[..<last].lastIndex(of: byte).map(utf8.index(after:)) ?? startIndex
        return String(self[start...last])
    }
}
