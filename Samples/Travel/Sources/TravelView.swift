import Weir

/// The list's screen without a screen: it can be pulled and tapped, and it says what it shows.
@MainActor final class TravelView {
    /// The number of rows that fit on the screen.
    static let height = 3

    private(set) var isRefreshing = false
    private(set) var alert: String?
    /// The pages that the user has visited.
    private(set) var visited: [String] = []
    /// How often the table was reloaded.
    private(set) var reloads = 0
    private var rows: [PlaceCellModel] = []
    private var cells: [PlaceCell] = []
    private var firstRow = 0

    private var model: TravelModel?
    let pulled = Emitter<Void>()
    let rowTouched = Emitter<PlaceCellModel>()
    private let bag = DisposeBag()

    init() {}

    /// Shows the model's values, forwards the user's actions to the model, and holds it.
    func bind(to model: TravelModel) {
        self.model = model
        model.cells.subscribe { [weak self] in self?.reload($0) }.disposed(by: bag)
        model.load.isExecuting.bind(to: self, \.isRefreshing).disposed(by: bag)
        model.load.errors.map { "\($0)" }.bind(to: self, \.alert).disposed(by: bag)
        pulled.subscribe { [load = model.load] in load.execute() }.disposed(by: bag)

        rowTouched.subscribe { [open = model.open] in open.execute($0) }.disposed(by: bag)
        model.open.values.subscribe { [weak self] in self?.visited.append($0) }.disposed(by: bag)
    }

    private func reload(_ rows: [PlaceCellModel]) {
        self.rows = rows
        firstRow = 0
        reloads += 1
        fillCells()
    }

    /// The rows that are on the screen.
    private var visible: ArraySlice<PlaceCellModel> { rows.dropFirst(firstRow).prefix(Self.height) }

    /// Shows the visible rows and reuses existing cells.
    private func fillCells() {
        for cell in cells { cell.prepareForReuse() }
        while cells.count < visible.count { cells.append(PlaceCell()) }
        for (cell, row) in zip(cells, visible) { cell.bind(to: row) }
    }

    // MARK: The user

    func pullToRefresh() {
        Trace.stimulus("pull to refresh") { pulled.emit() }
        Trace.frame()
    }

    func scroll(to row: Int) {
        Trace.stimulus("scroll to row \(row)") {
            firstRow = row
            fillCells()
        }
        Trace.frame()
    }

    /// The user taps one of the visible rows.
    func tap(row: Int) {
        Trace.stimulus("tap row \(row)") { rowTouched.emit(rows[firstRow + row]) }
        Trace.frame()
    }

    func closeAlert() {
        Trace.stimulus("close alert") { alert = nil }
        Trace.frame()
    }

    /// Whether every visible row has its image.
    var hasAllImages: Bool { cells.prefix(visible.count).allSatisfy { !$0.image.isEmpty } }

    /// The visible state, in lines.
    var shown: [String] {
        [isRefreshing ? "refreshing …" : "\(rows.count) places"] + (alert.map { ["<\($0)>"] } ?? [])
            + cells.prefix(visible.count).map { "  \($0.shown)" }
    }
}
