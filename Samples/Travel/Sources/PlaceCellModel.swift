import Weir

/// The content of a cell for any kind of place; subclasses define where it comes from.
///
/// All of it is signals, so a cell need not know whether a value is fixed, changes, or has to be loaded first.
class PlaceCellModel: @unchecked Sendable {  // Has constants of Sendable types only, as its subclasses.
    let title: Signal<String>
    let price: Signal<String>
    let campaign: Signal<String>
    let campaignIsHidden: Signal<Bool>
    let image: Signal<String>
    let rightFooter: Signal<String>
    /// The page with details about the place.
    let target: String

    init(
        title: Signal<String>, price: Signal<String> = .empty(), campaign: Signal<String>, image: Signal<String>,
        rightFooter: Signal<String> = .empty(), target: String
    ) {
        self.title = title
        self.price = price
        self.campaign = campaign
        campaignIsHidden = campaign.map(\.isEmpty)
        self.image = image
        self.rightFooter = rightFooter
        self.target = target
        Trace.adopt(self, as: target)
    }
}

extension PlaceCellModel: Equatable {
    static func == (one: PlaceCellModel, other: PlaceCellModel) -> Bool { one === other }
}

/// A scenic spot in a cell.
final class ScenicCellModel: PlaceCellModel, @unchecked Sendable {
    init(_ scenic: Scenic, image: Signal<String>, currentCity: Observable<Int>) {
        let fixed = Signal.just(scenic)
        super.init(
            title: fixed.map(\.name), price: fixed.map { "from ¥\(amount: $0.lowestPrice)" },
            campaign: fixed.map(\.campaignTag), image: image,
            rightFooter: currentCity.current.map { $0 == scenic.cityID ? scenic.areaName : scenic.cityName },
            target: "travel://scenic/\(scenic.id)")
    }
}

/// A hotel in the same cell.
final class HotelCellModel: PlaceCellModel, @unchecked Sendable {
    init(_ hotel: Hotel, image: Signal<String>) {
        let fixed = Signal.just(hotel)
        super.init(
            title: fixed.map(\.name), campaign: fixed.map { $0.tags.first ?? "" }, image: image,
            target: "travel://hotel/\(hotel.id)")
    }
}

extension DefaultStringInterpolation {
    /// An amount of money, with two digits after the point.
    mutating func appendInterpolation(amount hundredths: Int) {
        let rest = hundredths % 100
        appendLiteral("\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)")
    }
}
