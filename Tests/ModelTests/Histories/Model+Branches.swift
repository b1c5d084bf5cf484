/// What may become of a step. More than one thing where a process was killed: all of the step has happened, or nothing of it.
extension Model {
    func branches(_ operation: Operation) -> [(model: Model, outcome: Outcome)] {
        guard case .kill(let step, _) = operation else {
            var next = self
            let outcome = next.step(operation)
            return [(next, outcome)]
        }
        var (nothing, lost, whole) = (self, self, self)
        (nothing.sent, nothing.received, nothing.recorded) = ([], [], [])
        let answer = whole.answered(step)
        _ = lost.answered(step)
        // Nobody has heard the answer: what it would have told, nobody knows.
        lost.history.told = history.told
        lost.history.lost.formUnion(tokens.count..<max(tokens.count, lost.tokens.count))
        // A client whose new secret could not be read is refused before anything is changed.
        var refused = nothing
        let outcomes = [
            nothing.finish("dies"), lost.finish("dies"), whole.finish("lives: \(answer)"),
            refused.finish("lives: 401 invalid_client"),
        ]
        return Array(zip([nothing, lost, whole, refused], outcomes))
    }

    /// The step alone, before anything is sent.
    private mutating func answered(_ operation: Operation) -> String {
        (sent, received, recorded) = ([], [], [])
        return answer(operation)
    }

    /// The process starts again.
    private mutating func finish(_ answer: String) -> Outcome {
        start()
        return settle(answer)
    }
}
