import Weir

/// Uses every part of Weir that an app calls, and prints what its user would see.
enum Scenario {
    static func run() async {
        let bag = DisposeBag()
        runCheckout(bag)
        runCart(bag)
        runProfile(bag)
        runOperators(bag)
        await runTasks()
        print("recording: \(Trace.isRecording), \(Trace.path ?? "no file"), lost \(Trace.lostEvents)")
        print("not followed: \(Trace.modelsNotFollowed)")
    }

    private static func runCheckout(_ bag: DisposeBag) {
        let model = CheckoutModel()
        Trace.adopt(model)
        Trace.track(model, as: "checkout")
        model.isValid.subscribe(initial: true) { print("valid: \($0)") }.disposed(by: bag)
        model.summary.subscribe { print("summary: \($0)") }.disposed(by: bag)
        model.pay.values.subscribe { print("pay: \($0)") }.disposed(by: bag)
        model.pay.errors.subscribe { print("refused: \($0)") }.disposed(by: bag)
        model.pay.execute(1)
        Trace.stimulus("fill in") {
            model.name.value = "Maruko"
            model.card.value = "1234"
        }
        batch {
            model.name.value = "Tama"
            model.coupon.value = "SPRING"
        }
        model.pay.execute(2)
        model.lines.changes().subscribe { print("lines: \($0)") }.disposed(by: bag)
        model.lines.append("tea")
        Trace.frame()
        Trace.checkpoint("paid")
        Trace.onLeak { print("leak: \($0.name)") }
        Trace.expectReleased(model)
    }

    private static func runCart(_ bag: DisposeBag) {
        let cart = CartModel()
        Trace.adopt(cart, as: "Cart")
        cart.$count.subscribe { print("count: \($0)") }.disposed(by: bag)
        cart.$tags.subscribe { print("tags: \($0)") }.disposed(by: bag)
        cart.onChange = { cart.count += 10 }
        cart.count = 1
        cart.count = 1
        cart.tags.append("new")
        cart.address = "Ueno"
        cart.changed()
        cart.onChange = {}
    }

    private static func runProfile(_ bag: DisposeBag) {
        let profile = ProfileModel()
        Trace.observe(profile, private: \.age)
        Trace.observe(ProfileModel.self, \.nickname)
        Trace.observe(profile, except: \.age)
        Trace.observeModels(of: ProfileModel.self)
        let form = Trace.wrap(profile)
        Trace.render("title", on: .immediate) { @MainActor [weak profile] in print("title: \(profile?.title ?? "")") }
            .disposed(by: bag)
        form.nickname = "Momo"
        form.nickname.append("ko")
        form.age = 9
        print(Trace.body("row", id: 1) { "row of \(form.title)" })
        Trace.body(ProfileModel.self)
    }

    private static func runOperators(_ bag: DisposeBag) {
        let typed = Emitter<String>()
        typed.filter { !$0.isEmpty }.map { $0.count }.removeDuplicates().scan(0, +)
            .intended(.burst, because: "a total shows every step")
            .subscribe { print("typed: \($0)") }.disposed(by: bag)
        typed.flatMap(.latest) { Signal.just($0 + "!") }.subscribe { print("latest: \($0)") }.disposed(by: bag)
        typed.take(2).onEvent { print("event: \($0)") }.subscribe { _ in }.disposed(by: bag)
        for text in ["", "a", "b", "cc"] { typed.emit(text) }
        let size = Observable(Size())
        size.subscribe { print("width: \($0.width)") }.disposed(by: bag)
        size.value = Size(width: 3)
        let feed = Feed()
        let total = Observable(0)
        feed.listen { total.value += $0 }
        feed.send(4)
        feed.send(5)
        print("total: \(total.value)")
    }

    private static func runTasks() async {
        let name = Observable("")
        let heard = name.subscribe { print("name: \($0)") }
        await Trace.stimulus("load") {
            await Trace.task { name.value = "from a task" }.value
        }
        let (stream, continuation) = AsyncStream<Int>.makeTracedStream("numbers")
        for number in 1...3 { continuation.yield(number) }
        continuation.finish()
        await stream.forEach { name.value = "number \($0)" }
        let later = Trace.carryingCause { print("later") }
        later()
        heard.dispose()
    }
}
