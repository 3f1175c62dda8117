extension String {
    /// A remedy without lines of the program: ' at File.swift:3', '(made at File.swift:3)', 'the line File.swift:3'.
    var withoutLines: String {
        replacing(/\ \((made at )?[^)]*\.swift:\d+\)/, with: "").replacing(/( at)? \S+\.swift:\d+/, with: "")
    }
}
