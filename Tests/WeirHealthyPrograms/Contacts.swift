import Weir

// An address book: a sorted list whose rows come and go, favourites, a filter, a selection of several rows, and an undo of the last
// deletion. The list is an observable array, and each row observes what it shows.

private struct Contact: Hashable, Sendable {
    let id: Int
    var name: String
    var phone: String
    var isFavourite = false
}

@MainActor private final class AddressBook {
    let contacts = ObservableArray<Contact>()
    let filter = Observable("")
    let selected = Observable<Set<Int>>([])
    let favouritesOnly = Observable(false)
    /// The deleted contacts that can come back.
    let deleted = Observable<[Contact]>([])
    let shown: Combiner<[Contact]>
    let title: Combiner<String>
    let canDelete: Combiner<Bool>
    private var nextID = 1

    init() {
        shown = .combine(contacts, filter, favouritesOnly, strategy: .settled) { contacts, filter, favouritesOnly in
            contacts.filter { contact in
                (filter.isEmpty || contact.name.lowercased().contains(filter.lowercased()))
                    && (!favouritesOnly || contact.isFavourite)
            }
        }
        title = .combine(selected) { $0.isEmpty ? "Contacts" : "\($0.count) selected" }
        canDelete = .combine(selected) { !$0.isEmpty }
    }

    func add(_ name: String, _ phone: String) {
        let contact = Contact(id: nextID, name: name, phone: phone)
        nextID += 1
        let place = contacts.value.firstIndex { $0.name > name } ?? contacts.value.count
        contacts.insert(contact, at: place)
    }

    func toggleFavourite(_ id: Int) {
        guard let place = contacts.value.firstIndex(where: { $0.id == id }) else { return }
        contacts.update { $0[place].isFavourite.toggle() }
    }

    func toggleSelection(of id: Int) { selected.modify { $0.formSymmetricDifference([id]) } }

    func deleteSelected() {
        let chosen = selected.value
        batch {
            deleted.value = contacts.value.filter { chosen.contains($0.id) }
            contacts.removeAll { chosen.contains($0.id) }
            selected.value = []
        }
    }

    func undoDeletion() {
        batch {
            contacts.update { $0 = ($0 + deleted.value).sorted { $0.name < $1.name } }
            deleted.value = []
        }
    }
}

/// A row shows one contact, and whether it is selected.
@MainActor private final class ContactRow {
    let id: Int
    let name = Label()
    let star = Button()
    private(set) var isSelected = false
    private let bag = DisposeBag()

    init(_ contact: Contact, in book: AddressBook) {
        id = contact.id
        star.title = "Star \(contact.name)"
        let own = book.contacts.current.compactMap { [id] in $0.first { $0.id == id } }.removeDuplicates().share()
        own.map { "\($0.isFavourite ? "★ " : "")\($0.name), \($0.phone)" }.bind(to: name, \.text).disposed(by: bag)
        book.selected.current.map { [id] in $0.contains(id) }.removeDuplicates().subscribe { [weak self] in
            self?.isSelected = $0
        }.disposed(by: bag)
        star.onTap = { [weak book, id] in book?.toggleFavourite(id) }
    }
}

@MainActor private final class ContactsScreen {
    let title = Label()
    let empty = Label()
    let search = TextField()
    let delete = Button("Delete")
    let undo = Button("Undo")
    private(set) var rows: [ContactRow] = []
    private let bag = DisposeBag()

    init(_ book: AddressBook) {
        book.shown.subscribe(initial: true) { [weak self, weak book] contacts in
            guard let self, let book else { return }
            let known = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
            rows = contacts.map { known[$0.id] ?? ContactRow($0, in: book) }
            empty.isHidden = !contacts.isEmpty
        }.disposed(by: bag)
        book.title.bind(to: title, \.text).disposed(by: bag)
        book.canDelete.bind(to: delete, \.isEnabled).disposed(by: bag)
        book.deleted.current.map { $0.isEmpty }.removeDuplicates().bind(to: undo, \.isHidden).disposed(by: bag)
        search.edited.bind(to: book.filter).disposed(by: bag)
        delete.onTap = { [weak book] in book?.deleteSelected() }
        undo.onTap = { [weak book] in book?.undoDeletion() }
    }
}

@MainActor func list() async {
    let book = AddressBook()
    Trace.adopt(book)
    let screen = ContactsScreen(book)
    Window.screens = [screen]
    Trace.stimulus("open") {
        book.contacts.append(contentsOf: [
            Contact(id: 100, name: "Hamaji", phone: "12"), Contact(id: 101, name: "Kenta", phone: "34"),
            Contact(id: 102, name: "Tamae", phone: "56"),
        ])
    }
    await wait(milliseconds: 20)
    for (name, phone) in [("Maruko", "78"), ("Sakiko", "90")] {
        Trace.stimulus("add") { book.add(name, phone) }
        await wait(milliseconds: 20)
    }
    screen.rows[1].star.tap()
    await wait(milliseconds: 20)
    for text in ["a", "ak", "aki"] {
        screen.search.type(text)
        await wait(milliseconds: 20)
    }
    await reach(screen.rows.count == 1)
    screen.search.type("")
    await wait(milliseconds: 20)
    for id in [100, 102] {
        Trace.stimulus("select") { book.toggleSelection(of: id) }
        await wait(milliseconds: 20)
    }
    screen.delete.tap()
    await wait(milliseconds: 20)
    screen.undo.tap()
    await wait(milliseconds: 20)
    Trace.stimulus("favourites only") { book.favouritesOnly.value = true }
    await wait(milliseconds: 20)
    await reach(screen.rows.map(\.name.text) == ["★ Kenta, 34"] && screen.title.text == "Contacts")
}
