import Weir

// A sign-up wizard: three pages with validation across them, a user name that the server checks, and a password that no trace
// shows.

private struct Account: Sendable {
    var name = ""
    var plan = WizardModel.Plan.free
    var country = ""
}

@MainActor private final class WizardModel {
    enum Page: Int, CaseIterable, Sendable { case account, address, plan }
    enum Plan: Equatable, Sendable { case free, family, company }
    enum NameCheck: Equatable, Sendable { case empty, tooShort, checking, taken, free }

    let page = Observable(Page.account)
    let name = Observable("")
    let password = Observable("", privacy: .private)
    let repeated = Observable("", privacy: .private)
    let country = Observable("")
    let postcode = Observable("")
    let plan = Observable(Plan.free)
    let taxNumber = Observable("")
    let acceptsTerms = Observable(false)

    let nameCheck = Observable(NameCheck.empty)
    let passwordHint: Combiner<String>
    let postcodeHint: Combiner<String>
    let needsTaxNumber: Combiner<Bool>
    let isPageComplete: Combiner<Bool>
    let progress: Combiner<Double>
    let submit: Command<Account, String>
    private let bag = DisposeBag()

    init(isFree: @escaping @Sendable (String) async -> Bool) {
        passwordHint = .combine(password, repeated, strategy: .settled, privacy: .public) { password, repeated in
            if password.isEmpty { return "" }
            if password.count < 8 { return "At least 8 characters" }
            if !password.contains(where: \.isNumber) { return "At least one digit" }
            return password == repeated ? "" : "Repeat the password"
        }
        postcodeHint = .combine(country, postcode, strategy: .settled) { country, postcode in
            if postcode.isEmpty { return "" }
            let count = country == "JP" ? 7 : 5
            return postcode.count == count && postcode.allSatisfy(\.isNumber) ? "" : "\(count) digits"
        }
        needsTaxNumber = .combine(plan, country, strategy: .settled) { $0 == .company && $1 != "JP" }
        let isAccountComplete: Combiner<Bool> = .combine(
            nameCheck, password, repeated, strategy: .settled, privacy: .public
        ) { $0 == .free && $1.count >= 8 && $1.contains(where: \.isNumber) && $1 == $2 }
        let isAddressComplete: Combiner<Bool> = .combine(country, postcode, postcodeHint, strategy: .settled) {
            !$0.isEmpty && !$1.isEmpty && $2.isEmpty
        }
        let isPlanComplete: Combiner<Bool> = .combine(needsTaxNumber, taxNumber, acceptsTerms, strategy: .settled) {
            $2 && (!$0 || $1.count >= 9)
        }
        isPageComplete = .combine(
            page, isAccountComplete, isAddressComplete, isPlanComplete, strategy: .settled, privacy: .public
        ) { page, account, address, plan in
            switch page {
            case .account: account
            case .address: account && address
            case .plan: account && address && plan
            }
        }
        progress = .combine(page) { Double($0.rawValue + 1) / Double(Page.allCases.count) }
        let canSubmit: Combiner<Bool> = .combine(page, isPageComplete, strategy: .settled) { $0 == .plan && $1 }
        submit = Command(enabledIf: canSubmit) { account in
            try await Task.sleep(for: .milliseconds(5))
            return "Welcome, \(account.name)"
        }

        let names = name.map { $0.filter { !$0.isWhitespace } }.removeDuplicates()
        names.map { $0.isEmpty ? .empty : $0.count < 4 ? .tooShort : .checking }.bind(to: nameCheck).disposed(by: bag)
        names.debounce(.milliseconds(15), on: .main).flatMap(.latest) { name -> Signal<NameCheck> in
            name.count < 4 ? .empty() : Signal { await isFree(name) ? .free : .taken }
        }.deliver(on: .main).bind(to: nameCheck).disposed(by: bag)
    }

    func goForward() {
        guard isPageComplete.value, let next = Page(rawValue: page.value.rawValue + 1) else { return }
        page.value = next
    }

    func goBack() {
        guard let previous = Page(rawValue: page.value.rawValue - 1) else { return }
        page.value = previous
    }

    func finish() {
        submit.execute(Account(name: name.value, plan: plan.value, country: country.value))
    }
}

@MainActor private final class WizardScreen {
    let title = Label()
    let bar = Label()
    let nameHint = Label()
    let passwordHint = Label()
    let postcodeHint = Label()
    let greeting = Label()
    let taxRow = Label()
    let name = TextField()
    let password = TextField()
    let repeated = TextField()
    let back = Button("Back")
    let next = Button("Next")
    let done = Button("Create account")
    private let bag = DisposeBag()

    init(_ model: WizardModel) {
        model.page.subscribe(initial: true) { [weak self] page in
            self?.title.text = "\(page)"
            self?.back.isEnabled = page != .account
            self?.next.isHidden = page == .plan
        }.disposed(by: bag)
        model.progress.current.map { "\(Int($0 * 100)) %" }.bind(to: bar, \.text).disposed(by: bag)
        model.nameCheck.current.map { check in
            switch check {
            case .empty, .free: ""
            case .tooShort: "At least 4 characters"
            case .checking: "…"
            case .taken: "This name is taken"
            }
        }.removeDuplicates().bind(to: nameHint, \.text).disposed(by: bag)
        model.passwordHint.bind(to: passwordHint, \.text).disposed(by: bag)
        model.postcodeHint.bind(to: postcodeHint, \.text).disposed(by: bag)
        model.needsTaxNumber.current.map { !$0 }.bind(to: taxRow, \.isHidden).disposed(by: bag)
        model.isPageComplete.bind(to: next, \.isEnabled).disposed(by: bag)
        model.submit.isEnabled.bind(to: done, \.isEnabled).disposed(by: bag)
        model.submit.values.bind(to: greeting, \.text).disposed(by: bag)
        name.edited.bind(to: model.name).disposed(by: bag)
        password.edited.bind(to: model.password).disposed(by: bag)
        repeated.edited.bind(to: model.repeated).disposed(by: bag)
        back.onTap = { [weak model] in model?.goBack() }
        next.onTap = { [weak model] in model?.goForward() }
        done.onTap = { [weak model] in model?.finish() }
    }
}

@MainActor func signUp() async {
    let taken: Set = ["maruko"]
    let model = WizardModel { name in
        try? await Task.sleep(for: .milliseconds(4))
        return !taken.contains(name)
    }
    Trace.adopt(model)
    let screen = WizardScreen(model)
    Window.screens = [screen]

    func type(_ keys: [String], into field: TextField) async {
        for key in keys {
            field.type(key)
            await wait(milliseconds: 4)
        }
        await wait(milliseconds: 30)
    }
    await type(["m", "ma", "mar", "maru", "maruk", "maruko"], into: screen.name)
    await type(["maruko3"], into: screen.name)
    await type(["s", "se", "sesame", "sesame12"], into: screen.password)
    await type(["sesame1", "sesame12"], into: screen.repeated)
    screen.next.tap()
    await wait(milliseconds: 20)
    Trace.stimulus("choose the country") { model.country.value = "DE" }
    for digits in ["1", "10", "101", "1011", "10115"] {
        Trace.stimulus("type the postcode") { model.postcode.value = digits }
        await wait(milliseconds: 20)
    }
    screen.back.tap()
    await wait(milliseconds: 20)
    screen.next.tap()
    await wait(milliseconds: 20)
    screen.next.tap()
    await wait(milliseconds: 20)
    Trace.stimulus("choose the plan") { model.plan.value = .company }
    Trace.stimulus("accept the terms") { model.acceptsTerms.value = true }
    await wait(milliseconds: 20)
    Trace.stimulus("type the tax number") { model.taxNumber.value = "DE4711471" }
    await wait(milliseconds: 20)
    screen.done.tap()
    await wait(milliseconds: 40)
    await reach(screen.greeting.text == "Welcome, maruko3")
}
