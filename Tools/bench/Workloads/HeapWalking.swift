import WeirHeap

/// The processor time that a heap walk and its proof cost per object and per reference; both use one thread.
struct HeapWalking {
    let objects: Int
    let isQuick: Bool

    private var rounds: Int { isQuick ? 3 : 7 }

    func measure() throws -> Report.Section {
        guard HeapWalker.unknownLayout.isEmpty else {
            throw BenchmarkError("the heap walker cannot walk here: \(HeapWalker.unknownLayout)")
        }
        var section = Report.Section(title: "Walking \(objects) objects, processor time, medians")
        for shape in HeapShape.all { section.rows.append(try row(shape)) }
        return section
    }

    private func row(_ shape: HeapShape) throws -> Report.Row {
        let heap = shape.make(objects)
        defer { heap.tearDown() }
        let roots = [HeapRoot(address: heap.root)]
        var (proving, reporting) = (Sample(), Sample())
        var found = HeapWalker.Proven()
        for _ in 0..<rounds {
            // A new one each time: in a forked child it has to learn every type, too.
            let walker = HeapWalker()
            proving.add(Stopwatch.processorNanoseconds { found = walker.prove(from: roots) })
            var report = HeapReport()
            reporting.add(Stopwatch.processorNanoseconds { report = HeapWalker().report(from: roots) })
            guard report.walkedObjects == found.objects, found.objects > objects / 4, report.limitations == [] else {
                throw BenchmarkError("\(shape.name): the walk did not find what was made: \(report.limitations)")
            }
        }
        let (count, references) = (Double(found.objects), Double(max(found.references, 1)))
        return Report.Row(
            name: shape.name,
            figures: [
                Figure("objects", count, ""), Figure("references", Double(found.references), ""),
                Figure("walk and proof", proving.median / count, "ns/object", atMost: shape.limit),
                Figure("walk and proof", proving.median / references, "ns/reference"),
                Figure("report", reporting.median / count, "ns/object"),
                Figure("reported cycles", Double(found.cycles), ""),
            ])
    }
}
