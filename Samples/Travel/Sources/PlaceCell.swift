import Weir

/// A cell of the table. It is reused: it stays bound to one place until it is prepared for the next.
@MainActor final class PlaceCell {
    private(set) var title = ""
    private(set) var price = ""
    private(set) var campaign = ""
    private(set) var campaignIsHidden = true
    private(set) var image = ""
    private(set) var rightFooter = ""
    private let bag = DisposeBag()

    init() {}

    func bind(to model: PlaceCellModel) {
        model.title.bind(to: self, \.title).disposed(by: bag)
        model.price.bind(to: self, \.price).disposed(by: bag)
        model.campaign.bind(to: self, \.campaign).disposed(by: bag)
        model.campaignIsHidden.bind(to: self, \.campaignIsHidden).disposed(by: bag)
        model.image.bind(to: self, \.image).disposed(by: bag)
        model.rightFooter.bind(to: self, \.rightFooter).disposed(by: bag)
    }

    /// Unsubscribes from its place and clears itself: the next place may have no price, or its image may come late.
    func prepareForReuse() {
        bag.dispose()
        (title, price, campaign, campaignIsHidden, image, rightFooter) = ("", "", "", true, "", "")
    }

    /// The visible state, in one line.
    var shown: String {
        let campaign = campaignIsHidden ? "" : "*\(campaign)*"
        let image = image.isEmpty ? "(no image)" : "(\(image))"
        return [title, price, campaign, rightFooter, image].filter { !$0.isEmpty }.joined(separator: ", ")
    }
}
