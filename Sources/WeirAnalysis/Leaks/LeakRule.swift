/// The rules that find leaks, by the names that commands use; 'What leaks' defines them.
package enum LeakRule: String, CaseIterable, Sendable {
    /// A cycle of strong references that nothing outside holds.
    case retainCycle = "retain-cycle"
    /// A cycle of strong references that something outside still holds.
    case heldCycle = "held-cycle"
    /// An object that is alive after the checkpoint by which it should have been released.
    case outlivedScope = "outlived-scope"
    /// A subscription that nobody disposed, or an object that only a handler holds.
    case undisposed
    /// A line of the program that leaves more behind with each round.
    case growth
}
