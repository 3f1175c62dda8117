import CWeirCore
import WeirRecording

#if Recording
/// The models that walks omit beyond their limits; reported once for each place.
final class LeftOutModels: @unchecked Sendable {  // The lock guards the mutable state.
    static let shared = LeftOutModels()
    /// The maximum number of places that are remembered and reported.
    private static let mostPlaces = 100

    private let lock = SystemLock()
    private var places: [String: Int] = [:]
    private var unreadable: Set<String> = []
    private var unlisted: Set<String> = []
    /// The unreadable places to report when a recording begins.
    private var unsaid: [String] = []
    /// The sentences on classes to say when a recording begins.
    private var unsaidOfTypes: [String] = []

    /// The number of omitted models, for each place as of the last walk that omitted some there.
    var count: Int { lock.withLock { places.values.reduce(0, +) } }

    func note(_ count: Int, at path: String) {
        let isNew = lock.withLock { () -> Bool in
            guard places.count < Self.mostPlaces || places[path] != nil else { return false }
            return places.updateValue(count, forKey: path) == nil
        }
        guard isNew else { return }
        let what =
            count == 1
            ? "a model or element is not followed, at" : "\(count) models or elements are not followed, the first at"
        say("\(what) \(path): too many or too deep")
    }

    /// Notes that the object at `path` may have been released, and that this cannot be checked.
    func noteUnreadable(_ path: String) {
        lock.withLock {
            if unreadable.count < Self.mostPlaces, unreadable.insert(path).inserted { unsaid.append(path) }
        }
        if weir_recording() != 0 { recordingBegins() }
    }

    /// Notes that the properties of a class cannot be listed; `areReadsKnown`: whether the Observation module reveals reads.
    func noteUnlisted(_ type: String, areReadsKnown: Bool) {
        let reason =
            areReadsKnown
            ? "the class is generic, or the program has no symbols for them"
            : "this system's Observation library does not reveal reads"
        note(
            type, "the properties of \(type) are not followed: \(reason); list them: Trace.observe(model, \\.name)")
    }

    /// Notes that an observable itself was adopted, without a name.
    func noteUnnamed() {
        note(
            "",
            "Trace.adopt names the properties of a model; an observable itself needs a name: "
                + "Trace.adopt(observable, as: \"count\")")
    }

    /// Notes that some properties of a class cannot be read.
    func note(_ unreadable: [String], of type: String) {
        if unreadable.isEmpty { return }
        note(
            type,
            "\(type) has properties that are not followed, because the optimised program has no functions of their own for "
                + "them; list them: Trace.observe(model, \(unreadable.map { "\\.\($0)" }.joined(separator: ", ")))")
    }

    private func note(_ type: String, _ sentence: String) {
        lock.withLock {
            if unlisted.count < Self.mostPlaces, unlisted.insert(type).inserted { unsaidOfTypes.append(sentence) }
        }
        if weir_recording() != 0 { recordingBegins() }
    }

    /// Reports the places noted while nothing was recorded.
    func recordingBegins() {
        let (paths, sentences) = lock.withLock {
            defer { (unsaid, unsaidOfTypes) = ([], []) }
            return (unsaid, unsaidOfTypes)
        }
        for sentence in sentences { say(sentence) }
        for path in paths {
            say(
                "\(path) is not observed: where it leads nowhere, to read it would end the program; observe what holds it"
            )
        }
    }

    private func say(_ sentence: String) {
        guard weir_recording() != 0 else { return }
        Complaint.say(sentence)
    }
}
#endif

extension Trace {
    /// The number of models and collection elements that were not followed so far, because they are too many or too deep.
    ///
    /// From an adopted model, at most 8 levels of models, 10 000 models, and 10 000 elements of each collection are followed. The
    /// same limits apply to the models that a property of an observed model holds later. The first time at each place, a line on
    /// the standard error reports it while a recording is active. A trace holds only reads of a model that is not followed.
    public static var modelsNotFollowed: Int {
        #if Recording
        return LeftOutModels.shared.count
        #else
        return 0
        #endif
    }
}
