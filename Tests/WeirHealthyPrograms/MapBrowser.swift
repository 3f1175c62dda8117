import Dispatch
import Weir

// A map: the camera moves at each frame, places are loaded for the settled viewport and clustered in the background, and one of
// them can be selected.

private struct Place: Hashable, Sendable {
    let id: Int
    let x: Double
    let y: Double
    let kind: MapModel.Kind
}

private struct Viewport: Equatable, Sendable {
    var x: Double
    var y: Double
    var zoom: Int

    /// The side of the visible square, in degrees.
    var side: Double { 16 / Double(1 << zoom) }

    func contains(_ place: Place) -> Bool { abs(place.x - x) <= side && abs(place.y - y) <= side }

    /// The tile in which the camera is: places are loaded by tiles.
    var tile: Tile { Tile(column: Int((x / side).rounded()), row: Int((y / side).rounded()), zoom: zoom) }
}

private struct Tile: Hashable, Sendable {
    let column: Int
    let row: Int
    let zoom: Int
}

private struct Cluster: Equatable, Sendable {
    let x: Int
    let y: Int
    let places: [Place]
}

private struct MapServer: Sendable {
    private let places = (0..<60).map { id in
        Place(id: id, x: Double(id * 7 % 20), y: Double(id * 3 % 20), kind: id.isMultiple(of: 3) ? .food : .sight)
    }

    func places(in viewport: Viewport) async throws -> [Place] {
        try await Task.sleep(for: .milliseconds(5))
        return places.filter(viewport.contains)
    }
}

@MainActor private final class MapModel {
    enum Kind: Hashable, Sendable { case food, sight }

    let camera = Observable(Viewport(x: 8, y: 8, zoom: 1))
    let kinds = Observable<Set<Kind>>([.food, .sight])
    let clusters = Observable<[Cluster]>([])
    let selected = Observable<Place?>(nil)
    let isLoading = Observable(false)
    let message = Observable("")
    private let places = Observable<[Place]>([])
    private let bag = DisposeBag()

    init(_ server: MapServer, clusteringOn queue: DispatchQueue) {
        let settled = camera.current.debounce(.milliseconds(20), on: .main).removeDuplicates(by: \.tile).share()
        settled.subscribe { [weak self] _ in self?.isLoading.value = true }.disposed(by: bag)
        settled.flatMap(.latest) { viewport in
            Signal { try await server.places(in: viewport) }.retry(1).catch { _ in .just([]) }
        }.deliver(on: .main).subscribe { [weak self] found in
            guard let self else { return }
            batch {
                self.places.value = found
                self.isLoading.value = false
                self.message.value = found.isEmpty ? "Nothing here" : ""
            }
        }.disposed(by: bag)

        let shown: Combiner<[Place]> = .combine(places, kinds, strategy: .settled) { places, kinds in
            places.filter { kinds.contains($0.kind) }
        }
        shown.deliver(on: .queue(queue)).map(Self.clusters).deliver(on: .main).bind(to: clusters).disposed(by: bag)
        // A selected place that is filtered out is no longer selected.
        shown.subscribe { [weak self] places in
            guard let self, let place = selected.value, !places.contains(place) else { return }
            selected.value = nil
        }.disposed(by: bag)
    }

    private nonisolated static func clusters(of places: [Place]) -> [Cluster] {
        Dictionary(grouping: places) { [Int($0.x) / 4, Int($0.y) / 4] }
            .map { Cluster(x: $0.key[0], y: $0.key[1], places: $0.value) }
            .sorted { ($0.x, $0.y) < ($1.x, $1.y) }
    }

    func toggle(_ kind: Kind) { kinds.modify { $0.formSymmetricDifference([kind]) } }

    func tap(_ cluster: Cluster) {
        if cluster.places.count == 1 {
            selected.value = cluster.places[0]
        } else {
            camera.modify { camera in
                camera.x = Double(cluster.x * 4 + 2)
                camera.y = Double(cluster.y * 4 + 2)
                camera.zoom += 1
            }
        }
    }
}

@MainActor private final class MapScreen {
    private(set) var annotations: [Cluster] = []
    let scale = Label()
    let position = Label()
    let callout = Label()
    let spinner = Label()
    let toast = Label()
    private let bag = DisposeBag()

    init(_ model: MapModel) {
        model.clusters.subscribe { [weak self] in self?.annotations = $0 }.disposed(by: bag)
        model.camera.current.map { "\(Int($0.x)), \(Int($0.y))" }.removeDuplicates().bind(to: position, \.text)
            .disposed(by: bag)
        model.camera.current.map(\.side).removeDuplicates().map { "\($0)°" }.bind(to: scale, \.text).disposed(by: bag)
        model.selected.subscribe(initial: true) { [weak self] place in
            self?.callout.text = place.map { "Place \($0.id)" } ?? ""
            self?.callout.isHidden = place == nil
        }.disposed(by: bag)
        model.isLoading.current.map { !$0 }.bind(to: spinner, \.isHidden).disposed(by: bag)
        model.message.bind(to: toast, \.text).disposed(by: bag)
    }
}

@MainActor func map() async {
    let queue = DispatchQueue(label: "clusters")
    let model = MapModel(MapServer(), clusteringOn: queue)
    Trace.adopt(model)
    let screen = MapScreen(model)
    Window.screens = [screen]
    await wait(milliseconds: 80)

    /// A pan is a move of the camera at each frame.
    func pan(by dx: Double, _ dy: Double, frames: Int) async {
        for _ in 1...frames {
            Trace.stimulus("pan") {
                model.camera.modify { camera in
                    camera.x += dx
                    camera.y += dy
                }
            }
            Trace.frame()
            await wait(milliseconds: 17)
        }
        await wait(milliseconds: 80)
    }
    await pan(by: 1.5, 0.5, frames: 5)
    await pan(by: 0.1, 0, frames: 3)
    Trace.stimulus("hide sights") { model.toggle(.sight) }
    Trace.frame()
    await wait(milliseconds: 40)
    for _ in 1...4 {
        guard let cluster = screen.annotations.max(by: { $0.places.count < $1.places.count }) else { break }
        Trace.stimulus("tap a cluster") { model.tap(cluster) }
        Trace.frame()
        await wait(milliseconds: 80)
        if model.selected.value != nil { break }
    }
    Trace.stimulus("show sights") { model.toggle(.sight) }
    Trace.frame()
    await wait(milliseconds: 40)
    await pan(by: 15, 15, frames: 4)
    await reach(screen.toast.text == "Nothing here" && screen.annotations.isEmpty && screen.callout.isHidden)
}
