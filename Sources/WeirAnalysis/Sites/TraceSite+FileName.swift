import WeirTrace

extension TraceSite {
    /// The file's name without its module and folders: "LoginView.swift".
    package var fileName: String { file.split(separator: "/").last.map(String.init) ?? file }
}
