import WeirAnalysis
import WeirReport

/// Reads policies and baselines.
enum PolicyFiles {
    /// Longer files are refused.
    private static let longest: UInt64 = 64 << 20

    static func policy(_ path: String) throws(UsageError) -> Policy {
        let text = try text(path)
        do { return try Policy(json: text) } catch { throw .badPolicy(path: path, error) }
    }

    /// Sentences about all mistakes in a policy file.
    static func mistakes(_ path: String) throws(UsageError) -> [String] {
        Policy.mistakes(inJSON: try text(path)).map { Wording.sentence(for: .badPolicy(path: path, $0)) }
    }

    static func baseline(_ path: String) throws(UsageError) -> Baseline {
        let text = try text(path)
        do { return try Baseline(json: text) } catch { throw .badPolicy(path: path, error) }
    }

    private static func text(_ path: String) throws(UsageError) -> String {
        guard let text = System.text(path, most: longest) else {
            throw .unreadableFile(path: path, code: System.lastError)
        }
        return text
    }
}
