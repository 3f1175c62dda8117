import Weir

/// A list of scenic spots and hotels, loaded by a command.
///
/// Shows bindings of a collection, a command and errors. A load makes two requests, for spots and for hotels, and zips the
/// answers: the list appears when both have arrived, or not at all.
@MainActor final class TravelModel {
    /// The rows of the table; empty after a failure.
    let cells = ObservableArray<PlaceCellModel>()
    let currentCity: Observable<Int>
    /// Loads the list. Its executions, values, errors and state are delivered on the scheduler.
    let load: Command<Void, [PlaceCellModel]>
    /// Returns the page that shows a place. The view opens it.
    let open = Command<PlaceCellModel, String> { $0.target }
    private let bag = DisposeBag()

    /// - Parameters:
    ///   - background: the scheduler on which images are loaded.
    ///   - scheduler: the scheduler on which the view receives everything.
    init(
        server: TravelServer, city: Int = 1, loadingImagesOn background: some Scheduler,
        deliveringOn scheduler: some Scheduler = .main
    ) {
        let currentCity = Observable(city)
        let image: @Sendable (String) -> Signal<String> = { path in
            server.image(at: path).subscribe(on: background).deliver(on: scheduler)
        }
        self.currentCity = currentCity
        load = Command {
            server.scenics().zip(server.hotels()) { scenics, hotels in
                scenics.map { ScenicCellModel($0, image: image("/scenic/\($0.id).png"), currentCity: currentCity) }
                    + hotels.map { HotelCellModel($0, image: image("/hotel/\($0.id).png")) }
            }.deliver(on: scheduler)
        }
        load.values.merge(load.errors.map { _ in [] }).bind(to: cells).disposed(by: bag)
    }
}
