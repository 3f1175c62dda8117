#if os(Linux)
import Foundation
import Testing

extension OtherProcesses {
    /// The pages 'A SwiftUI app in ten minutes' and 'A UIKit app in ten minutes': their app is built, used, cured and tested.
    @Suite(.serialized) struct WalkthroughTests {
        @Test(.timeLimit(.minutes(15))) func `A SwiftUI app`() throws {
            try walk(
                "WalkthroughSwiftUI", app: "TeaShop", standIn: "SwiftUI", trace: "shop.weir",
                user: "Tap Open, Add, Add, Accept, Refresh, Close", "Open Add Add Accept Refresh =now Close",
                testsFail: ["aRefreshRunsTheBodyOnce", "aClosedCartIsReleased"])
        }

        @Test(.timeLimit(.minutes(15))) func `A UIKit app`() throws {
            try walk(
                "WalkthroughUIKit", app: "Members", standIn: "UIKit", trace: "members.weir",
                user: "Tap Profile, type the name Maruko and the phone number 12, tap Save and Done",
                "Profile name=Maruko phone=12 Save Done",
                testsFail: ["typingSetsTheTitleOnce", "aClosedScreenIsReleased"])
        }

        /// - Parameters:
        ///   - user: what the user does, as the page says it.
        ///   - actions: the same for the stand-in.
        ///   - failing: the tests that fail before the cure.
        private func walk(
            _ name: String, app: String, standIn: String, trace: String, user: String, _ actions: String,
            testsFail failing: [String]
        ) throws {
            let page = try Walkthrough("Sources/Weir/Weir.docc/\(name).md", app: app)
            #expect(page.shownLines == page.usedLines && page.shownLines > 100)
            #expect(page.page.text.contains(user))
            #expect(try page.manifestIsValid())
            let folder = try WalkthroughFolder()
            try folder.build(standIn: standIn)

            func use(_ trace: String) throws {
                // The same order of the observers of a property in each run, and a user who needs a second for each action.
                let answer = try folder.run(
                    "./app \(actions)",
                    environment: ["WEIR_TRACE": trace, "WEIR_CLOCK": "virtual", "SWIFT_DETERMINISTIC_HASHING": "1"])
                #expect(answer.status == 0 && !answer.text.contains("There is no enabled button"), "\(answer.text)")
            }
            try folder.build(page, standIn: standIn, isCured: false)
            try use(trace)
            let before = try folder.test(page, standIn: standIn)
            #expect(before.status != 0)
            for test in failing { #expect(before.text.contains("Test \(test)() failed"), "\(before.text)") }

            try folder.build(page, standIn: standIn, isCured: true)
            try use("fixed.weir")
            let after = try folder.test(page, standIn: standIn)
            #expect(after.status == 0 && after.text.contains("\(failing.count) tests"), "\(after.text)")

            let commands = page.commands
            for command in ["why", "why-not", "redundant", "leaks", "graph"] {
                #expect(commands.contains { $0.line.hasPrefix("weir \(command) \(trace)") }, "\(command)")
            }
            for command in commands {
                let output = try folder.run(command.line).text
                #expect(!command.output.isEmpty, "\(command.line) has no output on the page")
                #expect(Walkthrough.matches(command.output, output), "\(command.line) prints:\n\(output)")
            }
        }

        @Test func `A shown output matches line by line, and '…' stands for any lines`() {
            let output = "one\ntwo\n\nthree  \nfour\n"
            for shown in [
                ["", "one", "two", "", "three", "four"], ["one", "  …"], ["one", "…", "three", "…"], ["…", "four"],
            ] {
                #expect(Walkthrough.matches(shown, output), "\(shown)")
            }
            for shown in [
                ["one", "two"], ["two", "…"], ["one", "…", "three"], ["one", "tw", "…"], ["one", "…", "five"],
            ] {
                #expect(!Walkthrough.matches(shown, output), "\(shown)")
            }
        }
    }
}
#endif
