import Foundation

/// Standard error: progress and problems.
enum Console {
    static func error(_ message: String) { FileHandle.standardError.write(Data((message + "\n").utf8)) }
}
