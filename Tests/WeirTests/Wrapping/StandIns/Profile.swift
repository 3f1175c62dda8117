import Weir

// A form for a profile, wired by closures: fields that validate, a directory that answers later, and a button. Two lines are
// changed for Weir.

/// A reason why a text is refused, as the form shows it beside the field.
struct ProfileComplaint: Error, Equatable {
    let text: String
}

/// A rule for the text of a field.
struct ProfileRule: Sendable {
    let check: @Sendable (String) -> ProfileComplaint?

    static func atLeast(_ count: Int) -> ProfileRule {
        ProfileRule { $0.count < count ? ProfileComplaint(text: "at least \(count) characters") : nil }
    }

    static func contains(_ mark: Character) -> ProfileRule {
        ProfileRule { $0.contains(mark) ? nil : ProfileComplaint(text: "no \(mark) in it") }
    }

    static let noSpaces = ProfileRule {
        $0.contains(" ") ? ProfileComplaint(text: "no spaces, please") : nil
    }
}

/// A field of the form.
final class ProfileField {
    let title: String
    private(set) var text: String
    private(set) var complaint: ProfileComplaint?
    private(set) var hasFocus = false
    private let rules: [ProfileRule]
    var onChange: ((String) -> Void)?
    var onFocus: ((Bool) -> Void)?

    init(_ title: String, text: String = "", _ rules: ProfileRule...) {
        (self.title, self.text, self.rules) = (title, text, rules)
        complaint = rules.lazy.compactMap { $0.check(text) }.first
    }

    var isValid: Bool { complaint == nil }

    /// What the keyboard enters.
    func edit(_ new: String) {
        text = new
        complaint = rules.lazy.compactMap { $0.check(new) }.first
        withTracing("edit", new) { onChange?(new) }  // changed line: was 'onChange?(new)'
    }

    func focus(_ has: Bool) {
        guard has != hasFocus else { return }
        hasFocus = has
        onFocus?(has)
    }
}

/// Knows which names are taken; answers when it can.
final class ProfileDirectory {
    private let taken: Set<String>
    private var waiting: [(name: String, answer: (Bool) -> Void)] = []
    private(set) var questions = 0

    init(taken: Set<String>) { self.taken = taken }

    func isFree(_ name: String, _ answer: @escaping (Bool) -> Void) {
        questions += 1
        waiting.append((name, answer))
    }

    func answerNext() {
        guard !waiting.isEmpty else { return }
        let (name, answer) = waiting.removeFirst()
        answer(!taken.contains(name))
    }
}

/// What the store keeps.
struct ProfileRecord: Equatable {
    var nickname: String
    var mail: String
    var motto: String
}

/// A profile that was stored before.
protocol ProfileStore: AnyObject {
    var stored: ProfileRecord? { get }
    func store(_ record: ProfileRecord)
}

final class ProfileMemory: ProfileStore {
    private(set) var stored: ProfileRecord?
    private(set) var writes = 0

    init(_ stored: ProfileRecord? = nil) { self.stored = stored }

    func store(_ record: ProfileRecord) {
        stored = record
        writes += 1
    }
}

/// The form: its fields, and whether it can be saved.
final class ProfileForm {
    let nickname = ProfileField("nickname", .atLeast(3), .noSpaces)
    let mail = ProfileField("mail", .contains("@"), .noSpaces)
    let motto = ProfileField("motto")
    @Traced private(set) var canSave = false  // changed line
    private(set) var status = ""
    var onStatus: ((String) -> Void)?
    private let directory: ProfileDirectory
    private let store: any ProfileStore
    /// The last name about which the directory has answered, and its answer.
    private var checked: (name: String, isFree: Bool)?

    init(directory: ProfileDirectory, store: any ProfileStore) {
        (self.directory, self.store) = (directory, store)
        nickname.onChange = { [weak self] name in self?.check(name) }
        // A fault: the field holds this closure, and the form holds the field.
        mail.onChange = { _ in self.update() }
        motto.onChange = { [weak self] _ in self?.update() }
        nickname.onFocus = { [weak self] hasFocus in
            guard let self, !hasFocus, let complaint = nickname.complaint else { return }
            report(complaint.text)
        }
    }

    private var fields: [ProfileField] { [nickname, mail, motto] }

    private var isNameFree: Bool { checked?.name == nickname.text && checked?.isFree == true }

    private var isChanged: Bool { record != store.stored }

    private var record: ProfileRecord {
        ProfileRecord(nickname: nickname.text, mail: mail.text, motto: motto.text)
    }

    // MARK: What the user does

    /// Fills the form with the stored profile.
    func load() {
        guard let stored = store.stored else { return report("There is no profile yet.") }
        // A fault: three edits, and after each of them everything is checked.
        nickname.edit(stored.nickname)
        mail.edit(stored.mail)
        motto.edit(stored.motto)
    }

    func save() {
        guard canSave else { return report("There is nothing to save.") }
        store.store(record)
        report("Saved")
        update()
    }

    func discard() {
        guard let stored = store.stored else { return }
        for (field, text) in zip(fields, [stored.nickname, stored.mail, stored.motto]) where field.text != text {
            field.edit(text)
        }
    }

    // MARK: What follows

    private func check(_ name: String) {
        update()
        guard nickname.isValid, checked?.name != name else { return }
        directory.isFree(name) { [weak self] isFree in
            guard let self, nickname.text == name else { return }
            checked = (name, isFree)
            if !isFree { report("\(name) is taken") }
            update()
        }
    }

    private func update() {
        canSave = fields.allSatisfy(\.isValid) && isNameFree && isChanged
    }

    private func report(_ text: String) {
        guard text != status else { return }
        status = text
        onStatus?(text)
    }
}

/// The screen: labels beside the fields, and a line for the status.
final class ProfileScreen {
    let form: ProfileForm
    private(set) var statusLine = ""
    private(set) var history: [String] = []

    init(_ form: ProfileForm) {
        self.form = form
        form.onStatus = { [weak self] text in self?.show(text) }
    }

    var labels: [String] {
        [form.nickname, form.mail, form.motto].map { field in
            "\(field.title): \(field.complaint?.text ?? "fine")"
        }
    }

    var isSaveEnabled: Bool { form.canSave }

    private func show(_ text: String) {
        statusLine = text
        history.append(text)
    }
}
