/// The rules that find what does not go away, by the names that commands use; 'What leaks' defines them.
public enum LeakRule: String, CaseIterable, Sendable {
    /// A circle of strong references that nothing outside holds.
    case retainCycle = "retain-cycle"
    /// A circle of strong references that something outside still holds.
    case heldCycle = "held-cycle"
    /// An object that is alive after the checkpoint by which it should have been gone.
    case outlivedScope = "outlived-scope"
    /// A subscription that nobody disposed, or an object that only a handler holds.
    case undisposed
    /// A line of the program of which each round leaves more behind.
    case growth
}
