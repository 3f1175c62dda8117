import Dispatch
import Testing
import Weir
import WeirTesting
import WeirTrace

@testable import WeirTravel

extension Everything {
    @MainActor @Suite struct TravelTests {
        /// Each scheduler has its own time.
        private let network = VirtualScheduler()
        private let main = VirtualScheduler()
        private let requests = Locked<[String]>([])
        private let bag = DisposeBag()

        private func server(fails: @escaping @Sendable () -> Bool = { false }) -> TravelServer {
            let server = TravelServer(on: network, fails: fails)
            server.requested.subscribe { [requests] path in requests.change { $0.append(path) } }.disposed(by: bag)
            return server
        }

        private func model(_ server: TravelServer) -> TravelModel {
            TravelModel(server: server, loadingImagesOn: network, deliveringOn: main)
        }

        private func screen(fails: @escaping @Sendable () -> Bool = { false }) -> (model: TravelModel, view: TravelView)
        {
            let model = model(server(fails: fails))
            let view = TravelView()
            view.bind(to: model)
            return (model, view)
        }

        /// Runs all pending work.
        private func settle() {
            while !network.isIdle || !main.isIdle {
                network.runUntilIdle()
                main.runUntilIdle()
            }
        }

        // MARK: Loading

        @Test func `Two loads are zipped into one list, spots before hotels`() {
            let (model, view) = screen()
            view.pullToRefresh()
            settle()
            #expect(
                model.cells.value.map(\.target) == [
                    "travel://scenic/1", "travel://scenic/2", "travel://scenic/3", "travel://hotel/7",
                    "travel://hotel/8",
                ])
            #expect(requests.value.filter { !$0.hasSuffix(".png") } == ["/scenics", "/hotels"])
        }

        @Test func `The list comes when both answers are there`() {
            let (model, view) = screen()
            view.pullToRefresh()
            #expect(view.shown == ["refreshing …"])
            network.advance(by: .milliseconds(20))
            main.runUntilIdle()
            #expect(model.cells.value.isEmpty)
            #expect(view.isRefreshing)
            network.advance(by: .milliseconds(20))
            main.runUntilIdle()
            #expect(model.cells.value.count == 5)
            #expect(!view.isRefreshing)
            #expect(view.reloads == 1)
        }

        @Test func `The list is delivered on the screen's scheduler`() {
            let (model, view) = screen()
            view.pullToRefresh()
            network.advance(by: .milliseconds(40))
            #expect(model.cells.value.isEmpty && model.load.isExecuting.value)
            main.runUntilIdle()
            #expect(model.cells.value.count == 5 && !model.load.isExecuting.value)
        }

        @Test func `Pulling while a load is under way does not load again`() {
            let (_, view) = screen()
            for _ in 1...3 { view.pullToRefresh() }
            #expect(requests.value == ["/scenics", "/hotels"])
        }

        @Test func `A failing load ends refreshing, empties the list and shows an alert`() {
            let loads = Locked(0)
            let (model, view) = screen {
                loads.change { $0 += 1 }
                return loads.value == 2
            }
            view.pullToRefresh()
            settle()
            #expect(view.shown.count == 4)
            view.pullToRefresh()
            #expect(view.isRefreshing)
            network.advance(by: .milliseconds(20))
            // The other load is cancelled.
            #expect(network.isIdle)
            main.runUntilIdle()
            #expect(model.cells.value.isEmpty)
            #expect(view.shown == ["0 places", "<bad network>"])
            view.closeAlert()
            view.pullToRefresh()
            settle()
            #expect(view.shown.first == "5 places" && view.alert == nil)
        }

        @Test func `By default one load in four fails, the same ones each time`() {
            let (one, two) = (TravelServer.oneInFour(seed: 1), TravelServer.oneInFour(seed: 1))
            let failures = (1...4000).map { _ in one() }
            #expect(failures == (1...4000).map { _ in two() })
            #expect((900...1100).contains(failures.filter { $0 }.count))
        }

        // MARK: Cold loads

        @Test func `Two subscriptions to a cold load are two requests; sharing makes it one`() {
            let server = server()
            for (scenics, count) in [(server.scenics(), 2), (server.scenics().share(), 1)] {
                requests.change { $0 = [] }
                let model = HeadlineModel(scenics)
                var shown: [String] = []
                model.count.subscribe { shown.append($0) }.disposed(by: bag)
                model.lowestPrice.subscribe { shown.append($0) }.disposed(by: bag)
                settle()
                #expect(shown == ["3 spots", "from ¥15.50"])
                #expect(requests.value == Array(repeating: "/scenics", count: count))
            }
        }

        /// Runs all work synchronously.
        private final class SwiftNetwork: Scheduler {
            private let passed = Locked<UInt64>(0)
            var now: UInt64 { passed.value }

            func schedule(_ work: @escaping @Sendable () -> Void) -> Disposable {
                work()
                return Disposable {}
            }

            func schedule(
                after _: DispatchTimeInterval, _ work: @escaping @Sendable () -> Void
            ) -> Disposable {
                passed.change { $0 += 1_000_000_000 }
                return schedule(work)
            }
        }

        @Test func `Both headlines hear of a shared load, however fast the answer and slow the screen`() {
            var lines: [String] = []
            TravelDemo.use(network: SwiftNetwork(), main: main, wait: { _ in main.runUntilIdle() }) {
                lines.append($0)
            }
            #expect(
                lines.suffix(2) == [
                    "headline: 3 spots, from ¥15.50; requests: 2", "shared headline: 3 spots, from ¥15.50; requests: 1",
                ])
        }

        @Test func `To make a load is not to run it`() {
            let server = server()
            _ = HeadlineModel(server.scenics())
            settle()
            #expect(requests.value.isEmpty)
        }

        // MARK: Cells

        private func cell(
            _ change: (inout Scenic) -> Void = { _ in }, image: Signal<String> = .never(),
            city: Observable<Int> = Observable(1)
        ) -> PlaceCell {
            var scenic = Scenic(
                id: 9, name: "Wall", cityID: 1, cityName: "Beijing", areaName: "Yanqing", lowestPrice: 40_00)
            change(&scenic)
            let cell = PlaceCell()
            cell.bind(to: ScenicCellModel(scenic, image: image, currentCity: city))
            return cell
        }

        @Test(arguments: [(0, "from ¥0.00"), (5, "from ¥0.05"), (15_50, "from ¥15.50"), (1234_56, "from ¥1234.56")])
        func `A price has two digits after the point`(hundredths: Int, text: String) {
            #expect(cell { $0.lowestPrice = hundredths }.price == text)
        }

        @Test func `The campaign is hidden when there is none`() {
            #expect(cell().campaignIsHidden)
            let cell = cell { $0.campaignTag = "sale" }
            #expect(!cell.campaignIsHidden && cell.campaign == "sale")
        }

        @Test func `The footer is the area in the current city, else the city, and follows the user`() {
            let city = Observable(1)
            let cell = cell(city: city)
            #expect(cell.rightFooter == "Yanqing")
            city.value = 2
            #expect(cell.rightFooter == "Beijing")
        }

        @Test func `Hotels use the same cell, with neither price nor footer`() {
            let cell = PlaceCell()
            cell.bind(to: HotelCellModel(Hotel(id: 1, name: "Inn", tags: ["wifi", "bar"]), image: .just("inn")))
            #expect(cell.shown == "Inn, *wifi*, (inn)")
            let plain = PlaceCell()
            plain.bind(to: HotelCellModel(Hotel(id: 2, name: "Plain"), image: .just("plain")))
            #expect(plain.shown == "Plain, (plain)" && plain.campaignIsHidden)
        }

        @Test func `Images are loaded off the main thread and shown on it`() {
            let (_, view) = screen()
            view.pullToRefresh()
            network.advance(by: .milliseconds(40))
            main.runUntilIdle()
            // The subscriptions to the images are still pending on the network.
            #expect(requests.value == ["/scenics", "/hotels"])
            network.runUntilIdle()
            #expect(requests.value.dropFirst(2) == ["/scenic/1.png", "/scenic/2.png", "/scenic/3.png"])
            #expect(!view.hasAllImages)
            main.runUntilIdle()
            #expect(view.hasAllImages)
        }

        @Test func `A reused cell forgets its place, and hears no more of it`() {
            let (image, city) = (Emitter<String>(), Observable(1))
            let cell = cell({ $0.campaignTag = "sale" }, image: image, city: city)
            cell.prepareForReuse()
            #expect(cell.shown == "(no image)")
            cell.bind(to: HotelCellModel(Hotel(id: 1, name: "Inn"), image: .never()))
            image.emit("too late")
            city.value = 2
            #expect(cell.shown == "Inn, (no image)")
        }

        @Test func `Scrolling uses the same cells for other places`() {
            let (_, view) = screen()
            view.pullToRefresh()
            settle()
            view.scroll(to: 2)
            settle()
            #expect(
                view.shown == [
                    "5 places", "  The Bund, from ¥120.05, Shanghai, (picture of /scenic/3.png)",
                    "  Lakeside Inn, *breakfast*, (picture of /hotel/7.png)",
                    "  Station Hotel, (picture of /hotel/8.png)",
                ])
            #expect(view.reloads == 1)
        }

        // MARK: Navigation

        @Test func `A command returns the target, and the view goes there`() {
            let (model, view) = screen()
            view.pullToRefresh()
            settle()
            var targets: [String] = []
            model.open.execute(model.cells[3]).subscribe { targets.append($0) }
            #expect(targets == ["travel://hotel/7"])
            view.tap(row: 1)
            #expect(view.visited == ["travel://hotel/7", "travel://scenic/2"])
        }

        // MARK: Lifetime

        @Test(arguments: [0, 20, 40, 1000])
        func `A screen that is dropped at any time leaks nothing`(milliseconds: Int) {
            weak var model: TravelModel?
            weak var view: TravelView?
            weak var server: TravelServer?
            weak var cell: PlaceCellModel?
            do {
                let madeServer = TravelServer(on: network) { false }
                let (madeModel, madeView) = (self.model(madeServer), TravelView())
                madeView.bind(to: madeModel)
                madeView.pullToRefresh()
                network.advance(by: .milliseconds(milliseconds))
                main.runUntilIdle()
                if milliseconds == 1000 { madeView.scroll(to: 2) }
                (model, view, server, cell) = (madeModel, madeView, madeServer, madeModel.cells.value.first)
                #expect((cell != nil) == (milliseconds >= 40))
            }
            settle()
            #expect(model == nil)
            #expect(view == nil)
            #expect(server == nil)
            #expect(cell == nil)
        }
    }

    @MainActor @Suite struct TravelTraceTests {
        private func recordDemo() throws -> (lines: [String], recording: Recording) {
            let time = VirtualScheduler()
            var lines: [String] = []
            let recording = try record {
                TravelDemo.use(network: time, main: time, wait: { _ in time.runUntilIdle() }) { lines.append($0) }
            }
            return (lines, recording)
        }

        @Test func `The demo shows this`() throws {
            let scrolled = [
                "  Lakeside Inn, *breakfast*, (picture of /hotel/7.png)", "  Station Hotel, (picture of /hotel/8.png)",
            ]
            let moved = ["5 places", "  The Bund, from ¥120.05, Huangpu, (picture of /scenic/3.png)"] + scrolled
            #expect(
                try recordDemo().lines == [
                    "# pull to refresh", "5 places",
                    "  Summer Palace, from ¥30.00, *spring sale*, Haidian, (picture of /scenic/1.png)",
                    "  Temple of Heaven, from ¥15.50, Dongcheng, (picture of /scenic/2.png)",
                    "  The Bund, from ¥120.05, Shanghai, (picture of /scenic/3.png)",
                    "# scroll down", "5 places", "  The Bund, from ¥120.05, Shanghai, (picture of /scenic/3.png)",
                ] + scrolled + ["# arrive in Shanghai"] + moved + ["# tap the first row on the screen"] + moved + [
                    "visited travel://scenic/3", "# pull to refresh", "0 places", "<bad network>", "# close the alert",
                    "0 places", "# headline", "headline: 3 spots, from ¥15.50; requests: 2",
                    "shared headline: 3 spots, from ¥15.50; requests: 1",
                ])
        }

        @Test func `A trace shows both executions, the failure and what the view receives`() throws {
            let recording = try recordDemo().recording
            #expect(recording.emissions(of: "TravelModel.load.isExecuting").filter { $0 == .bool(true) }.count == 2)
            #expect(recording.emissions(of: "TravelModel.load.executions").count == 2)
            #expect(recording.emissions(of: "TravelModel.load.values").count == 1)
            #expect(recording.emissions(of: "TravelModel.load.errors") == [.described("bad network")])
            #expect(recording.emissions(of: "TravelModel.cells").count == 2)
            #expect(recording.emissions(of: "TravelModel.open.values") == [.string("travel://scenic/3")])
            #expect(recording.count(.objectReleased) == recording.count(.objectTracked))
        }

        @Test func `A trace shows that an unshared load runs twice, and that a shared one runs once`() throws {
            let story = try recordDemo().recording.story
            func requests(after stimulus: String) throws -> Int {
                let begin = try #require(story.firstIndex(of: "stimulus \(stimulus)"))
                let end = try #require(story[begin...].firstIndex(of: "stimulusEnded"))
                return story[begin..<end].filter { $0 == "  TravelServer.requested = \"/scenics\"" }.count
            }
            #expect(try requests(after: "show headline") == 2)
            #expect(try requests(after: "show shared headline") == 1)
        }
    }
}
