import Testing
import Weir

extension Everything.AskingOtherProcesses.StandInTests {
    /// Written down first, from reading the model and what its user does.
    private enum Profile {
        /// The directory's answer makes the name usable. The form asked when the name was edited; the answer is a stimulus.
        static let why = ["the directory answers about mio", "ProfileForm.canSave = true"]
        /// The motto is the first change after all was loaded and checked.
        static let whyAtFirst = ["type a motto", "edit = slow is fast", "ProfileForm.canSave = true"]
        /// The name is being looked up: the form computes false, as before.
        static let whyNotAfterTakenName = ["equal ProfileForm.canSave"]
        static let whyNotAfterAnswer = ["equal ProfileForm.canSave"]
        /// The field has nothing to complain about, so nothing is called.
        static let whyNotAfterFocus = ["unconnected", "edit"]
        static let redundant: Set<String> = [
            // The correction enters the same name again.
            "warning repeated-value edit ×1",
            // Loading edits three fields, one after the other.
            "note burst edit ×2",
        ]
        static let leaks: Set<String> = ["retain-cycle ProfileField, ProfileForm"]
        static let graph: Set<String> = ["edit ⇢ canSave"]
    }

    private func editProfile() {
        let directory = ProfileDirectory(taken: ["mika"])
        let stored = ProfileRecord(nickname: "maru", mail: "maru@weir.dev", motto: "slow is smooth")
        let form = ProfileForm(directory: directory, store: ProfileMemory(stored))
        let screen = ProfileScreen(form)
        Trace.adopt(form)
        act("open") { form.load() }
        act("the directory answers about maru") { directory.answerNext() }
        act("type a motto") { form.motto.edit("slow is fast") }
        act("type a short name") { form.nickname.edit("ma") }
        act("type a taken name") { form.nickname.edit("mika") }
        act("the directory answers about mika") { directory.answerNext() }
        act("type a free name") { form.nickname.edit("mio") }
        act("correct the name") { form.nickname.edit("mio") }
        act("the directory answers about mio") { directory.answerNext() }
        act("leave the field") {
            form.nickname.focus(true)
            form.nickname.focus(false)
        }
        #expect(screen.isSaveEnabled && screen.history == ["mika is taken"])
    }

    @Test func `A form with closures`() async throws {
        let answers = try await StandInAnswers { editProfile() }
        try expect(answers.why("ProfileForm.canSave"), Profile.why)
        try expect(answers.why("ProfileForm.canSave", at: "type a motto"), Profile.whyAtFirst)
        try expect(answers.whyNot("ProfileForm.canSave", after: "type a taken name"), Profile.whyNotAfterTakenName)
        try expect(
            answers.whyNot("ProfileForm.canSave", after: "the directory answers about mika"), Profile.whyNotAfterAnswer)
        try expect(answers.whyNot("ProfileForm.canSave", after: "leave the field"), Profile.whyNotAfterFocus)
        try expect(answers.redundant(), Profile.redundant)
        try expect(answers.leaks(), Profile.leaks)
        try expect(answers.linesOfLeaks(), ["WeirTests/Profile.swift"])
        try expect(answers.graph(), Profile.graph)
    }
}
