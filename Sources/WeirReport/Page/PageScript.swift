/// The page's script and style, made of the files in `Resources`.
///
/// The files are ordinary modules, so that each can be read and run by itself. The page has one script: the modules in an
/// order in which each stands after those that it imports, without their `import` lines and `export` words.
enum PageScript {
    /// The modules in the order of their dependencies.
    static let modules: [(name: String, bytes: [UInt8])] = [
        ("format", PackageResources.format_js), ("dom", PackageResources.dom_js),
        ("columns", PackageResources.columns_js), ("trace", PackageResources.trace_js),
        ("causes", PackageResources.causes_js), ("selection", PackageResources.selection_js),
        ("scale", PackageResources.scale_js), ("timeline", PackageResources.timeline_js),
        ("graph", PackageResources.graph_js), ("cause", PackageResources.cause_js),
        ("state", PackageResources.state_js), ("differences", PackageResources.differences_js),
        ("live", PackageResources.live_js), ("findings", PackageResources.findings_js),
        ("app", PackageResources.app_js),
    ]

    static var text: String {
        let pieces = modules.map { linked(String(decoding: $0.bytes, as: UTF8.self)) }
        return "\"use strict\";\n(() => {\n" + pieces.joined(separator: "\n") + "\n})();\n"
    }

    static var style: String { String(decoding: PackageResources.page_css, as: UTF8.self) }

    /// A module without its imports and exports.
    static func linked(_ module: String) -> String {
        module.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("import ") }.map {
            $0.hasPrefix("export ") ? $0.dropFirst("export ".count) : $0
        }.joined(separator: "\n")
    }
}
