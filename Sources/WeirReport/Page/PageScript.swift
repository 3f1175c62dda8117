/// The page's script and style, made of the files in `Resources`.
///
/// The files are ordinary modules, so that each can be read and run by itself. The page has one script: the modules in an
/// order in which each stands after those that it imports, without their `import` lines and `export` words.
enum PageScript {
    /// The modules in the order of their dependencies.
    private static let modules: [[UInt8]] = [
        PackageResources.format_js, PackageResources.dom_js, PackageResources.columns_js, PackageResources.trace_js,
        PackageResources.causes_js, PackageResources.selection_js, PackageResources.scale_js,
        PackageResources.timeline_js, PackageResources.graph_js, PackageResources.cause_js, PackageResources.state_js,
        PackageResources.findings_js, PackageResources.app_js,
    ]

    static var text: String {
        "\"use strict\";\n(() => {\n" + modules.map { linked(String(decoding: $0, as: UTF8.self)) }.joined(separator: "\n")
            + "\n})();\n"
    }

    static var style: String { String(decoding: PackageResources.page_css, as: UTF8.self) }

    /// A module without its imports and exports.
    static func linked(_ module: String) -> String {
        module.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("import ") }.map {
            $0.hasPrefix("export ") ? $0.dropFirst("export ".count) : $0
        }.joined(separator: "\n")
    }
}
