/// The source line that made a node or subscription.
public struct TraceSite: Hashable, Sendable, CustomStringConvertible {
    /// Module and file, as `#fileID` gives them: "Login/LoginView.swift".
    public var file: String
    /// The line, from 1.
    public var line: Int

    /// Line `line` of `file`.
    public init(file: String, line: Int) {
        self.file = file
        self.line = line
    }

    /// "Login/LoginView.swift:12".
    public var description: String { "\(file):\(line)" }

    /// Without the module: "LoginView.swift:12".
    public var shortDescription: String {
        "\(file.split(separator: "/").last.map(String.init) ?? file):\(line)"
    }
}
