import Testing

extension Everything {
    /// The sample's form, written with Combine's publishers: it has the same findings as the other versions.
    @Suite struct SignInTests {
        @Test func `Written with Combine, the form's faults are found`() async throws {
            let trial = try await SignInTrial { await CombineForm.use(show: $0) }
            #expect(SignInTrial.planted(in: "CombineForm").subtracting(trial.findings) == [], "\(trial.findings)")
            // `@Published` publishes before it stores, so a write during the publication is overwritten.
            let end = SignInTrial.end.map { $0.replacing("maruko", with: "Maruko") }
            #expect(trial.shown.reduce(into: []) { if $0.last != $1 { $0.append($1) } } == end)
            #expect(!trial.isPasswordRecorded)
            #expect(trial.causes.filter(SignInTrial.causes.contains) == SignInTrial.causes, "\(trial.causes)")
        }
    }
}
