import Dispatch
import Weir

/// A simulated server: it answers after a delay, and some requests fail.
///
/// All its signals are cold: each subscription makes one request, and nothing else does.
final class TravelServer: Sendable {
    /// The path of each request that has reached the server.
    let requested = Emitter<String>()
    private let network: any Scheduler
    private let latency: Int
    private let fails: @Sendable () -> Bool

    /// - Parameters:
    ///   - network: the scheduler that delivers answers.
    ///   - latency: how long scenic spots take, in milliseconds; hotels take twice as long.
    ///   - fails: called for each request for scenic spots; returns whether it fails.
    init(
        on network: any Scheduler, latency: Int = 20,
        fails: @escaping @Sendable () -> Bool = TravelServer.oneInFour(seed: 1)
    ) {
        self.network = network
        self.latency = latency
        self.fails = fails
    }

    func scenics() -> Signal<[Scenic]> {
        answer("/scenics", after: latency) { [fails] in
            if fails() { throw TravelError.badNetwork }
            return Self.scenics
        }
    }

    func hotels() -> Signal<[Hotel]> { answer("/hotels", after: 2 * latency) { Self.hotels } }

    /// The picture at `path`. It arrives synchronously, but blocks the calling thread until then.
    func image(at path: String) -> Signal<String> {
        Signal { [requested] subscriber in
            requested.emit(path)
            subscriber.next("picture of \(path)")
            subscriber.complete()
            return nil
        }
    }

    private func answer<Item: Sendable>(
        _ path: String, after milliseconds: Int, _ make: @escaping @Sendable () throws -> Item
    ) -> Signal<Item> {
        let request = Signal<Void> { [requested] subscriber in
            requested.emit(path)
            subscriber.next(())
            subscriber.complete()
            return nil
        }
        return request.delay(.milliseconds(milliseconds), on: network).map(make)
    }

    /// True a quarter of the time; the same seed gives the same sequence: the 'minimal standard' generator of Park and Miller.
    static func oneInFour(seed: UInt32) -> @Sendable () -> Bool {
        let state = Serial(UInt64(max(seed, 1)))
        return {
            state.change {
                $0 = $0 * 48271 % 0x7FFF_FFFF
                return $0 % 4 == 0
            }
        }
    }

    private static let scenics = [
        Scenic(
            id: 1, name: "Summer Palace", cityID: 1, cityName: "Beijing", areaName: "Haidian", lowestPrice: 30_00,
            campaignTag: "spring sale"),
        Scenic(
            id: 2, name: "Temple of Heaven", cityID: 1, cityName: "Beijing", areaName: "Dongcheng", lowestPrice: 15_50),
        Scenic(id: 3, name: "The Bund", cityID: 2, cityName: "Shanghai", areaName: "Huangpu", lowestPrice: 120_05),
    ]
    private static let hotels = [
        Hotel(id: 7, name: "Lakeside Inn", tags: ["breakfast", "parking"]), Hotel(id: 8, name: "Station Hotel"),
    ]
}

enum TravelError: Error, CustomStringConvertible, TraceValueConvertible {
    case badNetwork

    var description: String { "bad network" }
    var traceDescription: String { description }
}
