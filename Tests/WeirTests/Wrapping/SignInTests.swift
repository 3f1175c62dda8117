import Testing
import Weir
import WeirSignIn

extension Everything {
    /// One form, written in several styles: the same faults are found. (The fifth style, Combine's, is tested with OpenCombine.)
    @Suite struct SignInTests {
        @Test(arguments: SignInWay.allCases)
        func `Whichever way the form is written, the faults are found that this way shows`(way: SignInWay) async throws
        {
            let type = way.rawValue.prefix(1).uppercased() + way.rawValue.dropFirst() + "Form"
            let trial = try await SignInTrial { await way.use(show: $0) }
            var planted = SignInTrial.planted(in: type)
            // The loop runs over the stream, so it is a turn of its own.
            if way == .async { planted.remove("feedback SignInForm.username") }
            #expect(planted.subtracting(trial.findings) == [], "\(trial.findings)")
            #expect(trial.shown.reduce(into: []) { if $0.last != $1 { $0.append($1) } } == SignInTrial.end)
            #expect(!trial.isPasswordRecorded)
            let own: [SignInWay: String] = [
                .weir: ".removeDuplicates() before", .traced: "compare before the call", .observable: "let the body",
                .async: "compare before the call",
            ]
            #expect(trial.remedies.contains { $0.contains(own[way] ?? "") }, "\(trial.remedies)")
            if way != .weir {
                for word in [".removeDuplicates()", "batch {", ".settled", ".throttle("] {
                    #expect(!trial.remedies.contains { $0.contains(word) }, "\(trial.remedies)")
                }
            }
            #expect(trial.causes.filter(SignInTrial.causes.contains) == SignInTrial.causes, "\(trial.causes)")
        }
    }
}
