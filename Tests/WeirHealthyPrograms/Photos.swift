import Dispatch
import Weir

// A grid of photos: thumbnails are loaded on a queue with completion handlers, ahead of the user, cancelled for cells that have
// left the screen, and kept in a cache. The models are plain classes with traced properties and callbacks.

private struct Photo: Hashable, Sendable {
    let id: Int
    let isFavourite: Bool
}

/// A loader as a system has it: it calls back on the main queue, and a request can be cancelled.
@MainActor private final class ImageLoader {
    @MainActor final class Request {
        fileprivate(set) var isCancelled = false
        func cancel() { isCancelled = true }
    }

    private let queue = DispatchQueue(label: "images")
    private(set) var decoded = 0

    func load(_ photo: Photo, completion: @escaping @MainActor @Sendable (String) -> Void) -> Request {
        let request = Request()
        queue.async {
            let image = Self.decode(photo)
            DispatchQueue.main.async {
                MainActor.assumeIsolated {
                    guard !request.isCancelled else { return }
                    self.decoded += 1
                    completion(image)
                }
            }
        }
        return request
    }

    /// Takes two milliseconds.
    private nonisolated static func decode(_ photo: Photo) -> String {
        let end = ContinuousClock.now + .milliseconds(2)
        while ContinuousClock.now < end {}
        return "image of \(photo.id)"
    }
}

/// Loads each thumbnail once, however many cells want it.
@MainActor private final class ThumbnailCache {
    private var images: [Photo: String] = [:]
    private var order: [Photo] = []
    private var waiting: [Photo: (request: ImageLoader.Request, handlers: [Int: (String) -> Void])] = [:]
    private var nextToken = 0
    private let loader: ImageLoader
    @Traced var hits = 0
    @Traced var misses = 0

    init(_ loader: ImageLoader) { self.loader = loader }

    subscript(photo: Photo) -> String? { images[photo] }

    /// Calls `handler` now or later; the result ends the wait.
    func image(for photo: Photo, _ handler: @escaping (String) -> Void) -> Disposable? {
        if let image = images[photo] {
            hits += 1
            handler(image)
            return nil
        }
        nextToken += 1
        let token = nextToken
        if waiting[photo] == nil {
            misses += 1
            waiting[photo] = (request: load(photo), handlers: [:])
        }
        waiting[photo]?.handlers[token] = handler
        return Disposable { @MainActor [weak self] in self?.cancel(photo, token) }
    }

    private func load(_ photo: Photo) -> ImageLoader.Request {
        loader.load(photo) { [weak self] image in
            withTracing("thumbnail loaded", photo.id) { self?.loaded(photo, image) }
        }
    }

    private func loaded(_ photo: Photo, _ image: String) {
        images[photo] = image
        order.append(photo)
        if order.count > 24 { images[order.removeFirst()] = nil }
        let handlers = waiting.removeValue(forKey: photo)?.handlers ?? [:]
        for (_, handler) in handlers.sorted(by: { $0.key < $1.key }) { handler(image) }
    }

    private func cancel(_ photo: Photo, _ token: Int) {
        guard waiting[photo]?.handlers.removeValue(forKey: token) != nil else { return }
        if waiting[photo]?.handlers.isEmpty == true { waiting.removeValue(forKey: photo)?.request.cancel() }
    }
}

@MainActor private final class PhotoGridModel {
    @Traced var photos: [Photo] = []
    @Traced var showsFavourites = false
    @Traced var firstRow = 0
    @Traced var selection: Set<Int> = []
    let cache: ThumbnailCache
    let shown: Combiner<[Photo]>
    let title: Combiner<String>

    nonisolated static let columns = 3
    nonisolated static let rows = 4

    init(_ cache: ThumbnailCache) {
        self.cache = cache
        shown = .combine(_photos, _showsFavourites, strategy: .settled) { photos, favourites in
            favourites ? photos.filter(\.isFavourite) : photos
        }
        title = .combine(shown, _selection, strategy: .settled) { photos, selection in
            selection.isEmpty ? "\(photos.count) photos" : "\(selection.count) selected"
        }
    }

    func scroll(to row: Int) { firstRow = row }

    func toggle(_ photo: Photo) { $selection.modify { $0.formSymmetricDifference([photo.id]) } }

    func deleteSelected() {
        batch {
            photos.removeAll { selection.contains($0.id) }
            selection = []
        }
    }
}

@MainActor private final class PhotoCell {
    @Traced var image = ""
    private(set) var isSelected = false
    private var photo: Photo?
    private var loading: Disposable?
    private var bag = DisposeBag()

    func show(_ photo: Photo, _ model: PhotoGridModel) {
        guard photo != self.photo else { return }
        prepareForReuse()
        self.photo = photo
        loading = model.cache.image(for: photo) { [weak self] in self?.image = $0 }
        model.$selection.current.map { $0.contains(photo.id) }.removeDuplicates().subscribe { [weak self] in
            self?.isSelected = $0
        }.disposed(by: bag)
    }

    func prepareForReuse() {
        loading?.dispose()
        loading = nil
        bag = DisposeBag()
        photo = nil
        if !image.isEmpty { image = "" }
    }
}

@MainActor private final class PhotoGridScreen {
    let title = Label()
    private(set) var cells: [PhotoCell] = []
    private var prefetching: [Photo: Disposable] = [:]
    private let bag = DisposeBag()
    private unowned let model: PhotoGridModel

    init(_ model: PhotoGridModel) {
        self.model = model
        model.title.bind(to: title, \.text).disposed(by: bag)
        let window: Combiner<ArraySlice<Photo>> = .combine(model.shown, model.$firstRow, strategy: .settled) {
            $0.dropFirst($1 * PhotoGridModel.columns)
        }
        window.subscribe(initial: true) { [weak self] in self?.layOut($0) }.disposed(by: bag)
    }

    private func layOut(_ photos: ArraySlice<Photo>) {
        let visible = photos.prefix(PhotoGridModel.columns * PhotoGridModel.rows)
        while cells.count < visible.count { cells.append(PhotoCell()) }
        for cell in cells.dropFirst(visible.count) { cell.prepareForReuse() }
        for (cell, photo) in zip(cells, visible) { cell.show(photo, model) }
        prefetch(Set(photos.dropFirst(visible.count).prefix(PhotoGridModel.columns * 2)))
    }

    /// Loads the next two rows, and no longer those that the user has scrolled past.
    private func prefetch(_ wanted: Set<Photo>) {
        for (photo, loading) in prefetching where !wanted.contains(photo) {
            loading.dispose()
            prefetching[photo] = nil
        }
        for photo in wanted where prefetching[photo] == nil && model.cache[photo] == nil {
            prefetching[photo] = model.cache.image(for: photo) { _ in }
        }
    }
}

@MainActor func photos() async {
    let loader = ImageLoader()
    let model = PhotoGridModel(ThumbnailCache(loader))
    Trace.adopt(model)
    let screen = PhotoGridScreen(model)
    Trace.adopt(screen)
    Window.screens = [screen, model]
    await wait(milliseconds: 20)

    Trace.stimulus("open the album") {
        model.photos = (1...60).map { Photo(id: $0, isFavourite: $0.isMultiple(of: 4)) }
    }
    await wait(milliseconds: 80)
    for row in 1...4 {
        Trace.stimulus("scroll") { model.scroll(to: row) }
        await wait(milliseconds: 20)
    }
    // A fling passes rows whose photos are never loaded.
    for row in stride(from: 6, through: 14, by: 2) {
        Trace.stimulus("fling") { model.scroll(to: row) }
        await wait(milliseconds: 18)
    }
    await wait(milliseconds: 80)
    Trace.stimulus("scroll to the top") { model.scroll(to: 0) }
    await wait(milliseconds: 80)
    for index in [0, 2, 3] {
        Trace.stimulus("select") { model.toggle(model.shown.value[index]) }
        await wait(milliseconds: 20)
    }
    Trace.stimulus("deselect") { model.toggle(model.shown.value[2]) }
    await wait(milliseconds: 20)
    Trace.stimulus("delete") { model.deleteSelected() }
    await wait(milliseconds: 60)
    Trace.stimulus("show favourites") { model.showsFavourites = true }
    await wait(milliseconds: 80)
    Trace.checkpoint("favourites")
    await reach(screen.title.text == "14 photos" && screen.cells.filter { !$0.image.isEmpty }.count == 12)
}
