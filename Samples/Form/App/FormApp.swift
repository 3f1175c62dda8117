import WeirForm

/// `weir-form`: uses the form and prints what it shows. With `WEIR_TRACE=form.weir` in the environment, it
/// leaves a trace.
@main
enum FormApp {
    @MainActor static func main() {
        FormDemo.use { print($0) }
    }
}
