import Weir

/// A list of scenic spots and hotels, loaded by a command.
///
/// Shows bindings of a collection, a command and errors. Loading asks twice, for spots and for hotels, and zips the answers:
/// the list comes when both are there, or not at all.
@MainActor final class TravelModel {
    /// What the table shows; nothing after a failure.
    let cells = ObservableArray<PlaceCellModel>()
    let currentCity: Observable<Int>
    /// Loads the list. Its executions, values, errors and state are heard on the scheduler.
    let load: Command<Void, [PlaceCellModel]>
    /// Says which page shows a place. To go there is up to the view.
    let open = Command<PlaceCellModel, String> { $0.target }
    private let bag = DisposeBag()

    /// - Parameters:
    ///   - background: where images are loaded.
    ///   - scheduler: where the view hears of everything.
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
