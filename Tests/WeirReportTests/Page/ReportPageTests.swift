import Testing
import WeirTrace

@testable import WeirReport

@Suite struct ReportPageTests {
    /// The page of the frozen trace, with a hostile title and path.
    private static func page(_ name: String) throws -> String {
        var text = ""
        ReportPage([try PageTrace(try TraceReader(path: PageTraceTests.frozen), path: name)], title: name).write {
            text += $0
        }
        return text
    }

    private static let hostile = "</script><script>alert(1)</script><!--\u{202E}\u{7}"

    @Test func `the policy names the page's own script and style, and nothing else`() throws {
        let page = try Self.page("login.weir")
        let policy = try #require(page.firstMatch(of: #/Content-Security-Policy" content="([^"]*)"/#)).output.1
        #expect(policy.hasPrefix("default-src 'none'; "))
        #expect(!policy.contains("unsafe") && !policy.contains("http") && !policy.contains("*"))
        let script = try #require(page.firstMatch(of: #/<script>([\s\S]*?)<\/script>/#)).output.1
        let style = try #require(page.firstMatch(of: #/<style>([\s\S]*?)<\/style>/#)).output.1
        for (directive, text) in [("script-src", script), ("style-src", style)] {
            let digest = Base64.text(of: SHA256.digest(of: Array(text.utf8)))
            #expect(policy.contains("\(directive) 'sha256-\(digest)'"))
        }
    }

    @Test func `the page refers to no other file`() throws {
        let page = try Self.page("login.weir")
        for word in ["src=", "href=", "@import", "url(", "fetch(", "XMLHttpRequest", "import("] {
            #expect(!page.contains(word), "\(word) may load something")
        }
        // The namespace of SVG is a name.
        #expect(page.ranges(of: "http:").count == 1 && !page.contains("https:"))
    }

    @Test func `a hostile name does not leave its element`() throws {
        let page = try Self.page(Self.hostile)
        #expect(page.ranges(of: "<script").count == 3, "two elements with data, and the script")
        #expect(page.ranges(of: "</script>").count == 3)
        #expect(!page.contains("<!--"))
        #expect(!page.unicodeScalars.contains("\u{202E}") && !page.unicodeScalars.contains("\u{7}"))
    }

    @Test func `the modules import only what earlier modules export, and each name is declared once`() throws {
        let modules = PageScript.modules
        var exported: [String: String] = [:]
        var declared: [String: String] = [:]
        for (name, text) in modules {
            for match in text.matches(of: #/(?m)^import \{ ([^}]*) \} from "\.\/(\w+)\.js";$/#) {
                for word in match.output.1.split(separator: ", ") {
                    #expect(exported[String(word)] == String(match.output.2), "\(name).js imports \(word)")
                    let uses = text.matches(of: try Regex("\\b\(word)\\b").wordBoundaryKind(.simple)).count
                    #expect(uses > 1, "\(name).js does not use \(word)")
                }
            }
            #expect(
                text.ranges(of: "\nimport ").count + (text.hasPrefix("import ") ? 1 : 0)
                    == text.matches(of: #/(?m)^import \{ ([^}]*) \} from "\.\/(\w+)\.js";$/#).count)
            for match in text.matches(of: #/(?m)^(export )?(?:async )?(?:const|let|class|function) (\w+)/#) {
                let word = String(match.output.2)
                #expect(declared[word] == nil, "\(word) is declared in \(declared[word] ?? "") and \(name)")
                declared[word] = name
                if match.output.1 != nil { exported[word] = name }
            }
        }
        #expect(modules.count == 15 && exported.count > 20)
    }

    @Test func `no module makes elements of text or code of strings`() {
        for (name, text) in PageScript.modules {
            for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"] {
                #expect(!text.contains(word), "\(name).js has \(word)")
            }
        }
    }
}
