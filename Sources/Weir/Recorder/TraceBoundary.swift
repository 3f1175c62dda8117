/// A model that `Trace.adopt` does not enter when it reaches it through another model.
///
/// For classes whose properties several threads change: adoption reads stored properties without their locks.
/// ```swift
/// extension DownloadQueue: TraceBoundary {}
/// ```
/// If you adopt it itself, when no other thread changes it, it is searched like any other model.
public protocol TraceBoundary: AnyObject {}
