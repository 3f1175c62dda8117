/// The error with which a `#` of a marble diagram fails, unless another is given.
public struct MarbleFailure: Error, Equatable {
    /// The error of a `#`.
    public init() {}
}
