import Weir

// A settings form: two-way bindings of switches, sliders and fields, rules between settings, a store that is saved a moment after
// the last change, and a reset.

private enum Appearance: String, Sendable, CaseIterable { case system, light, dark }

private struct Stored: Equatable, Sendable {
    var nickname = "Maruko"
    var appearance = Appearance.system
    var notifies = true
    var plays = true
    var volume = 60
    var quietFrom = 22
    var quietTo = 7
    var backsUp = false
    var backsUpOnlyOnWiFi = true
}

/// Where the settings are saved.
@MainActor private final class PreferenceStore {
    private(set) var saved: [Stored] = []

    func save(_ stored: Stored) { saved.append(stored) }
}

@MainActor private final class PreferencesModel {
    let nickname: Observable<String>
    let appearance: Observable<Appearance>
    let notifies: Observable<Bool>
    let plays: Observable<Bool>
    let volume: Observable<Int>
    let quietFrom: Observable<Int>
    let quietTo: Observable<Int>
    let backsUp: Observable<Bool>
    let backsUpOnlyOnWiFi: Observable<Bool>

    let isSoundEnabled: Combiner<Bool>
    let quietHours: Combiner<String>
    let backupHint: Combiner<String>
    let all: Combiner<Stored>
    let isUnchanged: Combiner<Bool>
    private let bag = DisposeBag()

    init(_ stored: Stored, store: PreferenceStore) {
        nickname = Observable(stored.nickname)
        appearance = Observable(stored.appearance)
        notifies = Observable(stored.notifies)
        plays = Observable(stored.plays)
        volume = Observable(stored.volume)
        quietFrom = Observable(stored.quietFrom)
        quietTo = Observable(stored.quietTo)
        backsUp = Observable(stored.backsUp)
        backsUpOnlyOnWiFi = Observable(stored.backsUpOnlyOnWiFi)

        isSoundEnabled = .combine(notifies, plays) { $0 && $1 }
        quietHours = .combine(quietFrom, quietTo, strategy: .settled) { from, to in
            from == to ? "never quiet" : "quiet from \(from):00 to \(to):00"
        }
        backupHint = .combine(backsUp, backsUpOnlyOnWiFi, strategy: .settled) { backsUp, onlyOnWiFi in
            !backsUp ? "" : onlyOnWiFi ? "at night, on Wi-Fi" : "may cost money"
        }
        let sound: Combiner<(Bool, Bool, Int)> = .combine(notifies, plays, volume, strategy: .settled) { ($0, $1, $2) }
        let backup: Combiner<(Bool, Bool)> = .combine(backsUp, backsUpOnlyOnWiFi, strategy: .settled) { ($0, $1) }
        all = .combine(nickname, appearance, sound, quietFrom, quietTo, backup, strategy: .settled) {
            Stored(
                nickname: $0, appearance: $1, notifies: $2.0, plays: $2.1, volume: $2.2, quietFrom: $3, quietTo: $4,
                backsUp: $5.0, backsUpOnlyOnWiFi: $5.1)
        }
        isUnchanged = .combine(all) { $0 == Stored() }

        all.debounce(.milliseconds(25), on: .main).subscribe { store.save($0) }.disposed(by: bag)
        // A volume of zero turns sounds off, and any other volume turns them on.
        volume.map { $0 > 0 }.removeDuplicates().bind(to: plays).disposed(by: bag)
    }

    func reset() {
        let stored = Stored()
        batch {
            nickname.value = stored.nickname
            appearance.value = stored.appearance
            notifies.value = stored.notifies
            plays.value = stored.plays
            volume.value = stored.volume
            quietFrom.value = stored.quietFrom
            quietTo.value = stored.quietTo
            backsUp.value = stored.backsUp
            backsUpOnlyOnWiFi.value = stored.backsUpOnlyOnWiFi
        }
    }
}

/// A control with a value that the user can change: a switch, a slider, a picker.
@MainActor private final class ValueControl<Value: Equatable & Sendable> {
    var value: Value
    var isEnabled = true
    let changed = Emitter<Value>()

    init(_ value: Value) { self.value = value }

    func set(_ value: Value) {
        Trace.stimulus("change") {
            guard isEnabled else { return }
            self.value = value
            changed.emit(value)
        }
    }
}

@MainActor private final class PreferencesScreen {
    let nickname = TextField()
    let appearance = ValueControl(Appearance.system)
    let notifies = ValueControl(false)
    let plays = ValueControl(false)
    let volume = ValueControl(0)
    let quietFrom = ValueControl(0)
    let quietTo = ValueControl(0)
    let backsUp = ValueControl(false)
    let onlyOnWiFi = ValueControl(false)
    let quietHours = Label()
    let backupHint = Label()
    let reset = Button("Reset")
    private let bag = DisposeBag()

    init(_ model: PreferencesModel) {
        nickname.limit = 10
        Channel(model.nickname).bind(to: nickname, \.text, changes: nickname.edited).disposed(by: bag)
        connect(model.appearance, appearance)
        connect(model.notifies, notifies)
        connect(model.plays, plays)
        connect(model.volume, volume)
        connect(model.quietFrom, quietFrom)
        connect(model.quietTo, quietTo)
        connect(model.backsUp, backsUp)
        connect(model.backsUpOnlyOnWiFi, onlyOnWiFi)
        model.notifies.bind(to: plays, \.isEnabled).disposed(by: bag)
        model.isSoundEnabled.bind(to: volume, \.isEnabled).disposed(by: bag)
        model.backsUp.bind(to: onlyOnWiFi, \.isEnabled).disposed(by: bag)
        model.quietHours.bind(to: quietHours, \.text).disposed(by: bag)
        model.backupHint.bind(to: backupHint, \.text).disposed(by: bag)
        model.isUnchanged.current.map { !$0 }.bind(to: reset, \.isEnabled).disposed(by: bag)
        reset.onTap = { [weak model] in model?.reset() }
    }

    private func connect<Value>(_ setting: Observable<Value>, _ control: ValueControl<Value>) {
        Channel(setting).bind(to: control, \.value, changes: control.changed).disposed(by: bag)
    }
}

@MainActor func preferences() async {
    let store = PreferenceStore()
    let model = PreferencesModel(Stored(), store: store)
    Trace.adopt(model)
    let screen = PreferencesScreen(model)
    Window.screens = [screen]

    for name in ["Maruko S", "Maruko Saku", "Momoko"] {
        screen.nickname.type(name)
        await wait(milliseconds: 20)
    }
    screen.appearance.set(.dark)
    await wait(milliseconds: 20)
    for volume in stride(from: 45, through: 0, by: -15) {
        screen.volume.set(volume)
        await wait(milliseconds: 20)
    }
    await reach(!screen.plays.value && !screen.volume.isEnabled)
    screen.plays.set(true)
    await wait(milliseconds: 20)
    screen.volume.set(30)
    await wait(milliseconds: 20)
    screen.notifies.set(false)
    await wait(milliseconds: 20)
    screen.plays.set(false)
    screen.quietFrom.set(23)
    await wait(milliseconds: 20)
    screen.quietTo.set(8)
    await wait(milliseconds: 20)
    screen.backsUp.set(true)
    await wait(milliseconds: 20)
    screen.onlyOnWiFi.set(false)
    await wait(milliseconds: 20)
    Trace.stimulus("another device changes settings") {
        batch {
            model.appearance.value = .light
            model.quietFrom.value = 21
            model.quietTo.value = 6
        }
    }
    await wait(milliseconds: 20)
    screen.reset.tap()
    await wait(milliseconds: 40)
    await reach(store.saved.last == Stored() && !screen.reset.isEnabled && screen.nickname.text == "Maruko")
}
