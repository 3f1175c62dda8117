/// A scenic spot, as the server sends it.
struct Scenic: Equatable, Sendable {
    var id: Int
    var name: String
    var cityID: Int
    var cityName: String
    var areaName: String
    /// In hundredths.
    var lowestPrice: Int
    var campaignTag = ""
}

/// A hotel, as the server sends it.
struct Hotel: Equatable, Sendable {
    var id: Int
    var name: String
    var tags: [String] = []
}
