extension Corpus {
    /// Every planted case.
    static var all: Corpus {
        var corpus = Corpus()
        corpus.plantFields()
        corpus.plantClosures()
        corpus.plantSingleCaptures()
        corpus.plantCollections()
        corpus.plantEnums()
        corpus.plantExistentials()
        corpus.plantGenerics()
        corpus.plantAssociatedTypes()
        corpus.plantValues()
        corpus.plantErrors()
        corpus.plantConcurrency()
        corpus.plantWeak()
        corpus.plantNearMisses()
        corpus.plantHeld()
        corpus.plantMisleadingLayouts()
        corpus.plantForeign()
        corpus.plantFoundation()
        corpus.plantScreens()
        corpus.plantFlows()
        return corpus
    }
}
