import Foundation

/// Standard error: what is going on, and what went wrong.
enum Console {
    static func error(_ message: String) { FileHandle.standardError.write(Data((message + "\n").utf8)) }
}
