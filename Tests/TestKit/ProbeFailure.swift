/// The error of the black-box helpers: one sentence with what was expected and what happened instead.
struct ProbeFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
