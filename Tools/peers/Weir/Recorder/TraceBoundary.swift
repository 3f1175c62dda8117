/// A model into which `Trace.adopt` does not look when it comes to it by way of another model.
///
/// For classes whose properties change on several threads: adoption reads stored properties without their locks.
/// ```swift
/// extension DownloadQueue: TraceBoundary {}
/// ```
/// Adopted itself, where nothing else changes it, it is looked through like any other.
public protocol TraceBoundary: AnyObject {}
