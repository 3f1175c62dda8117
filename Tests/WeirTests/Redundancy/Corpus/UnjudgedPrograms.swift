import Weir
import WeirTrace

/// Programs whose traces lack facts that a rule needs.
enum UnjudgedPrograms {
    private struct Track { var title: String }
    private struct Album { let titles: [String] }

    static var all: [Program] { hidden + described + late }

    private static var hidden: [Program] {
        [
            Program(
                "A secret is not compared", finds: [],
                unjudged: [.init(.repeatedValue, "Model.password", .withheld, count: 2)], redundant: 0, of: 3
            ) { scene in
                let password = scene.name("password", Observable("", privacy: .private))
                password.subscribe { _ in }
                for text in ["o", "op", "ope"] { scene.act("type") { password.value = text } }
            },
            Program(
                "What is made of a secret is none either", finds: [],
                unjudged: [
                    .init(.repeatedValue, "Model.isLong", .withheld, count: 1),
                    .init(.noopEvaluation, "Model.isLong", .withheld, count: 1),
                ], redundant: 0, of: 2
            ) { scene in
                let password = scene.name("password", Observable("", privacy: .private))
                let isLong = scene.name("isLong", password.map { $0.count > 6 })
                isLong.subscribe { _ in }.disposed(by: scene.bag)
                for text in ["o", "op"] { scene.act("type") { password.value = text } }
            },
            Program(
                "What is said of a secret can be judged",
                finds: [.init(.repeatedValue, "Model.shown", count: 1)],
                unjudged: [.init(.noopEvaluation, "Model.isLong", .withheld, count: 1)],
                redundant: 1, of: 2
            ) { scene in
                let password = scene.name("password", Observable("", privacy: .private))
                let isLong = scene.name("isLong", password.map { $0.count > 6 })
                let shown = scene.name("shown", isLong.disclosed())
                shown.subscribe { _ in }.disposed(by: scene.bag)
                for text in ["o", "op"] { scene.act("type") { password.value = text } }
            },
            Program(
                "Whether a secret's combiner repeats itself, its own comparison has said",
                finds: [.init(.noopEvaluation, "Model.isLong", count: 2)], redundant: 0, of: 0
            ) { scene in
                let password = scene.name("password", Observable("", privacy: .private))
                let isLong = scene.name("isLong", Observable.combine(password, privacy: .private) { $0.count > 6 })
                isLong.subscribe { _ in }
                for text in ["o", "op"] { scene.act("type") { password.value = text } }
            },
            Program(
                "The policy `none`", values: .none, finds: [],
                unjudged: [.init(.repeatedValue, "Model.count", .notRecorded, count: 2)], redundant: 0, of: 3
            ) { scene in
                let count = scene.name("count", Observable(0))
                count.subscribe { _ in }
                for value in 1...3 { scene.act("add") { count.value = value } }
            },
            Program(
                "What needs no values is found without", values: .none,
                finds: [.init(.burst, "Model.count", count: 1)],
                unjudged: [.init(.repeatedValue, "Model.count", .notRecorded, count: 1)], redundant: 1, of: 2
            ) { scene in
                let count = scene.name("count", Observable(0))
                count.subscribe { _ in }
                scene.act("add") { for value in 1...2 { count.value = value } }
            },
            Program("An emitter's values need not be known", values: .none, finds: [], redundant: 0, of: 3) { scene in
                let rolled = scene.name("rolled", Emitter<Int>())
                rolled.subscribe { _ in }
                for _ in 1...3 { scene.act("roll") { rolled.emit(6) } }
            },
        ]
    }

    private static var described: [Program] {
        [
            Program(
                "Values that cannot be recorded", finds: [],
                unjudged: [.init(.repeatedValue, "Model.album", .unrecordable, count: 2)], redundant: 0, of: 3
            ) { scene in
                let album = scene.name("album", Observable(Album(titles: [])))
                album.subscribe { _ in }
                for title in ["A", "A", "B"] { scene.act("play") { album.value = Album(titles: [title]) } }
            },
            Program(
                "Fields of a structure tell what differs, not what is equal", finds: [],
                unjudged: [.init(.repeatedValue, "Model.track", .sameDescription, count: 1)], redundant: 0, of: 3
            ) { scene in
                let track = scene.name("track", Observable(Track(title: "")))
                track.subscribe { _ in }
                for title in ["A", "A", "B"] { scene.act("play") { track.value = Track(title: title) } }
            },
            Program(
                "Descriptions tell what differs, not what is equal", values: .described(), finds: [],
                unjudged: [.init(.repeatedValue, "Model.track", .sameDescription, count: 1)], redundant: 0, of: 3
            ) { scene in
                let track = scene.name("track", Observable(Track(title: "")))
                track.subscribe { _ in }
                for title in ["A", "A", "B"] { scene.act("play") { track.value = Track(title: title) } }
            },
            Program(
                "What a combiner makes of values that cannot be recorded", finds: [],
                unjudged: [
                    .init(.repeatedValue, "Model.album", .unrecordable, count: 1),
                    .init(.noopEvaluation, "Model.album", .unrecordable, count: 1),
                ], redundant: 0, of: 2
            ) { scene in
                let title = scene.name("title", Observable(""))
                let album = scene.name("album", Observable.combine(title) { Album(titles: [$0]) })
                album.subscribe { _ in }
                for text in ["A", "B"] { scene.act("play") { title.value = text } }
            },
        ]
    }

    private static var late: [Program] {
        [
            Program(
                "A combiner that was there before the recording, for nobody that the recording knows",
                recordedLate: true, finds: [],
                unjudged: [.init(.unobserved, "Model.total", .madeBefore, count: 2)], redundant: 0, of: 0
            ) { scene in
                let price = scene.name("price", Observable(0))
                _ = scene.name("total", Observable.combine(price) { $0 * 2 })
                try scene.record()
                for value in 1...2 { scene.act("set") { price.value = value } }
            },
            Program(
                "Values from before the recording are not known: the first one in it repeats nothing",
                recordedLate: true,
                finds: [
                    .init(.repeatedValue, "Model.isEmpty", count: 1), .init(.noopEvaluation, "Model.isEmpty", count: 1),
                ], unjudged: [.init(.unobserved, "Model.isEmpty", .madeBefore, count: 1)], redundant: 1, of: 2
            ) { scene in
                let query = scene.name("query", Observable(""))
                let isEmpty = scene.name("isEmpty", query.map { $0.isEmpty })
                isEmpty.subscribe { _ in }.disposed(by: scene.bag)
                query.value = "t"
                try scene.record()
                for text in ["te", "tea"] { scene.act("type \(text)") { query.value = text } }
            },
        ]
    }
}
