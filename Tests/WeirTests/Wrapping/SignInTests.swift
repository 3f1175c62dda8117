import SignIn
import Testing
import Weir

extension Everything {
    /// One form, written in several ways: the same faults are found. (The fifth way, Combine's, is tested with OpenCombine.)
    @Suite struct SignInTests {
        @Test(arguments: SignInWay.allCases.filter { $0 != .observable || hasPropertyNames })
        func `Whichever way the form is written, the faults are found that this way shows`(way: SignInWay) async throws
        {
            let type = way.rawValue.prefix(1).uppercased() + way.rawValue.dropFirst() + "Form"
            let trial = try await SignInTrial { await way.use(show: $0) }
            var planted = SignInTrial.planted(in: type)
            // The loop goes over the stream, so it is a turn of its own: what is seen is that the view is shown twice.
            if way == .async {
                planted.remove("feedback SignInForm.username")
                planted.insert("burst SignInForm.button")
            }
            #expect(planted.subtracting(trial.findings) == [], "\(trial.findings)")
            #expect(trial.shown.reduce(into: []) { if $0.last != $1 { $0.append($1) } } == SignInTrial.end)
            #expect(!trial.isPasswordRecorded)
            #expect(trial.causes.filter(SignInTrial.causes.contains) == SignInTrial.causes, "\(trial.causes)")
        }
    }
}
