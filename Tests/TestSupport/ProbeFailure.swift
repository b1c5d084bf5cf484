/// What the black-box helpers throw: one sentence that says what was expected and what came instead.
struct ProbeFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
