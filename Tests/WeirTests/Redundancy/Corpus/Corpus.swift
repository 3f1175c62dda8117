/// The programs, rule by rule, then realistic ones.
enum Corpus {
    static var programs: [Program] {
        RepeatedValuePrograms.all + GlitchPrograms.all + BurstPrograms.all + UnobservedPrograms.all
            + NoopEvaluationPrograms.all + ResubscribedSourcePrograms.all + FeedbackPrograms.all
            + ZombieRefreshPrograms.all + CrossThreadPrograms.all + SlowRefreshPrograms.all + UnjudgedPrograms.all
            + IntendedPrograms.all + UnhandledFailurePrograms.all
            + RepeatedSubscriptionPrograms.all + RepeatedRequestPrograms.all
            + StaleResponsePrograms.all + RepeatedSourcePrograms.all
            + SearchScreen.all + CartScreen.all + FormScreen.all + ChatScreen.all + PlayerScreen.all
    }
}
