import CWeir
import WeirTrace

/// What walks through models have left out beyond their bounds; said once of each place.
final class LeftOutModels: @unchecked Sendable {  // The lock guards what varies.
    static let shared = LeftOutModels()
    /// Most places that are remembered, and said.
    private static let mostPlaces = 100

    private let lock = SystemLock()
    private var places: [String: Int] = [:]
    private var unreadable: Set<String> = []
    /// Of those, what is to be said when a recording begins.
    private var unsaid: [String] = []

    /// Of each place, as of the last walk that left something out there.
    var count: Int { lock.withLock { places.values.reduce(0, +) } }

    func note(_ count: Int, at path: String) {
        let isNew = lock.withLock { () -> Bool in
            guard places.count < Self.mostPlaces || places[path] != nil else { return false }
            return places.updateValue(count, forKey: path) == nil
        }
        if isNew { say("\(count) models or elements are not followed, the first at \(path): too many or too deep") }
    }

    /// What is at `path` need not be there, and whether it is cannot be told.
    func noteUnreadable(_ path: String) {
        lock.withLock {
            if unreadable.count < Self.mostPlaces, unreadable.insert(path).inserted { unsaid.append(path) }
        }
        if weir_recording() != 0 { recordingBegins() }
    }

    /// Says what it could not say while nothing was recorded.
    func recordingBegins() {
        let paths = lock.withLock {
            defer { unsaid = [] }
            return unsaid
        }
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

extension Trace {
    /// How many models, and elements of collections, were not followed so far, as they are too many or too deep.
    ///
    /// At most 8 levels of models, 10 000 models, and 10 000 elements of each collection are followed from an adopted model, and as
    /// many from what a property of an observed model has come to hold. The first time at each place, a line on the standard error
    /// says so too, while something is recorded. Of what is not followed, a trace knows reads only.
    public static var modelsNotFollowed: Int { LeftOutModels.shared.count }
}
