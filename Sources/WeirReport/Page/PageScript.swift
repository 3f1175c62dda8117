import CWeirPage

/// The page's script and style, made of the files in `CWeirPage/Resources`.
///
/// The files are ordinary modules, so that each can be read and run by itself. The page has one script: the modules in an
/// order in which each stands after those that it imports, without their `import` lines and `export` words.
enum PageScript {
    /// The modules in the order of their dependencies.
    static var modules: [(name: String, text: String)] {
        (0..<weir_page_module_count()).map {
            let file = weir_page_module($0)
            return (String(cString: file.name), text(of: file))
        }
    }

    static var text: String {
        let pieces = modules.map { linked($0.text) }
        return "\"use strict\";\n(() => {\n" + pieces.joined(separator: "\n") + "\n})();\n"
    }

    static var style: String { text(of: weir_page_style()) }

    private static func text(of file: weir_page_file) -> String {
        String(decoding: UnsafeBufferPointer(start: file.bytes, count: file.count), as: UTF8.self)
    }

    /// A module without its imports and exports.
    static func linked(_ module: String) -> String {
        module.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("import ") }.map {
            $0.hasPrefix("export ") ? $0.dropFirst("export ".count) : $0
        }.joined(separator: "\n")
    }
}
