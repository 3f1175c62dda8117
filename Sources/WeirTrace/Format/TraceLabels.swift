/// The labels of a recording, which tell it from others: its build, its device, its test.
///
/// In the file header they are one text: `key=value` for each label, in the order of the keys, separated by line feeds.
package enum TraceLabels {
    /// The maximum number of labels.
    static let most = 32
    /// The maximum length of their text in a file header, in UTF-8 bytes.
    static let longestText = 800

    /// Why these labels cannot be recorded; nil: they can.
    package static func fault(of labels: [String: String]) -> String? {
        if labels.count > most { return "there are \(labels.count), and a trace has room for \(most)" }
        for (key, value) in labels.sorted(by: { $0.key < $1.key }) {
            if !isKey(key) {
                return "the name '\(PrintableText.brief(key))' must consist of letters, digits, '_', '-' and '.'"
            }
            if value.isEmpty { return "'\(key)' has no value" }
            if value.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
                return "the value of '\(key)' contains a control character"
            }
        }
        let length = text(of: labels).utf8.count
        return length > longestText ? "they have \(length) bytes, and a trace has room for \(longestText)" : nil
    }

    private static func isKey(_ key: String) -> Bool {
        !key.isEmpty && key.utf8.count <= 64
            && key.unicodeScalars.allSatisfy { scalar in
                scalar.isASCII
                    && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                        || "_-.".unicodeScalars.contains(scalar))
            }
    }

    /// The text in a file header.
    static func text(of labels: [String: String]) -> String {
        labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "\n")
    }

    /// The labels in a text of a file header.
    static func labels(in text: String) -> [String: String] {
        var labels: [String: String] = [:]
        for line in text.split(separator: "\n").prefix(most) {
            guard let equals = line.firstIndex(of: "=") else { continue }
            labels[String(line[..<equals])] = String(line[line.index(after: equals)...])
        }
        return labels
    }

    /// The labels in a text such as "build=412,device=iPhone15,2"; nil: it does not begin with a name and '='.
    ///
    /// A part without '=' belongs to the value before it.
    package static func labels(inList text: String) -> [String: String]? {
        var labels: [String: String] = [:]
        var last: String?
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            if let equals = part.firstIndex(of: "=") {
                let key = String(part[..<equals].drop { $0 == " " })
                labels[key] = String(part[part.index(after: equals)...])
                last = key
            } else if let last {
                labels[last]? += "," + part
            } else {
                return nil
            }
        }
        return labels
    }
}

extension TraceFormat.HeaderField {
    static let labels = 3200
}
