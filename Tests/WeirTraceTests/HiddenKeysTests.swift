import Testing

@testable import WeirTrace

struct HiddenKeysTests {
    @Test(arguments: [
        ("Vault.byCard[5500].amount", "Vault.byCard[private].amount"),
        ("Vault.byCard[5500].items[3]", "Vault.byCard[private].items[private]"),
        ("Grid.cells[1][2].value", "Grid.cells[private][private].value"),
        ("Vault.byName[a[b]c].amount", "Vault.byName[private].amount"),
        ("Vault.byName[a]b].amount", "Vault.byName[private].amount"),
        ("Vault.byName[a].b].amount", "Vault.byName[private].amount"),
        ("Vault.byName[a", "Vault.byName[private]"), ("Vault.amount", "Vault.amount"), ("", ""), ("[7]", "[private]"),
        ("Vault.byCard[private].amount", "Vault.byCard[private].amount"),
    ])
    func `Every key goes where all values go`(label: String, without: String) {
        #expect(HiddenKeys.all.removed(from: label) == without)
        #expect(HiddenKeys.all.removed(from: without) == without)
        #expect(HiddenKeys(of: []).removed(from: label, isOfHiddenNode: true) == without)
        #expect(HiddenKeys(of: []).removed(from: label) == label)
    }

    @Test(arguments: [
        ("Vault.byCard[5500].amount", "Vault.byCard[private].amount"),
        ("Vault.byCard[5500].items[3].name", "Vault.byCard[private].items[3].name"),
        ("Vault.byCard[5500][7].name", "Vault.byCard[private][private].name"),
        ("Vault.rows[2].cells[7].name", "Vault.rows[private].cells[private].name"),
        ("Vault.rows[2].name", "Vault.rows[private].name"), ("Vault.columns[2].name", "Vault.columns[2].name"),
        ("Other.byCard[5500].amount", "Other.byCard[5500].amount"),
    ])
    func `A key goes from every name that leads through its collection`(label: String, without: String) {
        // A node in a collection has the key in its name, and may be a collection itself.
        let keys = HiddenKeys(of: ["Vault.byCard", "Vault.rows[1].cells"])
        #expect(keys.removed(from: label) == without)
    }
}
