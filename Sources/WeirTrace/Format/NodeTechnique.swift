/// The technique with which a program brought a node into a trace; it determines the wording of remedies.
public enum NodeTechnique: UInt8, CaseIterable, Sendable {
    /// Weir's own observables, signals and bindings; or unspecified.
    case weir = 0
    /// A property marked `@Traced`.
    case traced = 1
    /// A property of an `@Observable` class.
    case observation = 2
    /// A body that runs again when a value that it has read changes.
    case render = 3
    /// A publisher of Combine.
    case combine = 4
    /// A property marked `@Published`.
    case published = 5
    /// An asynchronous sequence or stream.
    case asyncSequence = 6
    /// A plain callback.
    case callback = 7
    /// An observable of another library.
    case foreign = 8
}
