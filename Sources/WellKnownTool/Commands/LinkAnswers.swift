import SSOShared
import WellKnown

/// What one app does with an address.
struct LinkAnswer {
    /// `nil` when the file names no app.
    let app: String?
    let decision: LinkDecision
    let explanation: LinkExplanation?
    let summary: String

    /// - Parameters:
    ///   - stranger: what to add when the file does not name the app.
    ///   - summary: what to say without an explanation.
    init(app: String?, explanation: LinkExplanation?, stranger: String? = nil, summary: String) {
        self.app = app
        self.explanation = explanation
        decision = explanation?.decision ?? .noMatch
        self.summary = [explanation?.summary ?? summary, stranger].compactMap(\.self).joined(separator: " ")
    }
}

/// What every app in question does with an address.
struct LinkAnswers {
    let url: String
    let platform: LinkPlatform
    let document: JSONDocument
    /// At least one, in the order of the file.
    let all: [LinkAnswer]

    /// The one that counts when all the apps are installed: the first that opens it, else the first that keeps it out.
    var deciding: LinkAnswer? {
        all.first { $0.decision == .opens } ?? all.first { $0.decision == .manifestDecides }
            ?? all.first { $0.decision == .excluded } ?? all.first
    }

    /// The exit code: 1 when no app opens the address.
    var exitCode: Int32 {
        switch deciding?.decision {
        case .opens, .manifestDecides: 0
        case .noMatch, .excluded, nil: 1
        }
    }
}

/// Answers for people.
struct LinkAnswerText {
    private let answers: LinkAnswers
    private let style: TextStyle

    init(_ answers: LinkAnswers, style: TextStyle) {
        self.answers = answers
        self.style = style
    }

    /// The decision, the rule that made it, and what is disputed about it.
    func verdict(_ answer: LinkAnswer) -> String {
        var lines = [headline(answer), wrapped(answer.summary)]
        if let rule = answer.explanation?.deciding {
            lines.append("  at \(place(rule)): \(patterns(rule).printable)")
        }
        lines += disputes(answer)
        return lines.joined(separator: "\n") + "\n"
    }

    /// The same with every rule that was tried.
    func explanation(_ answer: LinkAnswer) -> String {
        var lines = [headline(answer), wrapped(answer.summary)]
        for trial in answer.explanation?.trials ?? [] {
            let mark = trial.matches ? style.paint("yes", .green) : style.paint("no", .faint)
            lines.append("  \(place(trial)) \(trial.pointer.printable)\(trial.isExclude ? " (exclude)" : ""): \(mark)")
            lines += trial.parts.map(part)
            lines += trial.notes.map { TextStyle.wrapped($0.printable, first: "      note: ", rest: "        ") }
        }
        lines += disputes(answer)
        return lines.joined(separator: "\n") + "\n"
    }

    private func headline(_ answer: LinkAnswer) -> String {
        let colour: TextStyle.Colour =
            switch answer.decision {
            case .opens: .green
            case .manifestDecides: .blue
            case .noMatch, .excluded: .yellow
            }
        let who = answer.app.map { "\($0.printable) on \(answers.platform.title)" } ?? answers.platform.title
        return "\(who): \(style.paint(answer.decision.rawValue, colour))"
    }

    private func wrapped(_ text: String) -> String {
        TextStyle.wrapped(text.printable, first: "  ", rest: "  ")
    }

    private func place(_ trial: RuleTrial) -> String { "\(answers.document.position(at: trial.range.lowerBound))" }

    private func patterns(_ trial: RuleTrial) -> String {
        trial.parts.filter { $0.origin != .builtIn }.map { "\($0.part.title) \($0.pattern)" }.joined(separator: ", ")
    }

    private func part(_ part: PartTrial) -> String {
        let sign = part.matches ? "=" : style.paint("≠", .yellow)
        let text = part.text.map { "\"\($0.printable)\"" } ?? "nothing"
        let origin = part.origin == .component ? "" : " (\(part.origin.rawValue))"
        let note = part.note.map { ": \($0)" } ?? ""
        return TextStyle.wrapped(
            "\(part.part.title) \(part.pattern.printable)\(origin) \(sign) \(text)\(note)", first: "      ",
            rest: "        ")
    }

    private func disputes(_ answer: LinkAnswer) -> [String] {
        (answer.explanation?.disputes ?? []).flatMap { dispute in
            [
                TextStyle.wrapped(
                    "\(style.paint("disputed", .yellow)): \(dispute.question)", first: "  ", rest: "    "),
                TextStyle.wrapped("Taken here: \(dispute.taken).", first: "    ", rest: "      "),
                TextStyle.wrapped(
                    "Else: \(dispute.other): then it would be \"\(dispute.otherwise.rawValue)\".", first: "    ",
                    rest: "      "),
            ]
        }
    }
}

extension PartTrial.Part {
    var title: String {
        switch self {
        case .path: "path"
        case .query: "query"
        case .item(let name): "query item \(name.printable)"
        case .fragment: "fragment"
        }
    }
}

/// An answer as JSON. The names of its members are part of the interface.
struct LinkAnswerJSON: Encodable {
    struct Rule: Encodable {
        let entry, rule, line, column: Int
        let pointer: String
        let exclude, matches: Bool
        let evidence: String
        let parts: [Part]
        /// What is ignored of the rule, and which options come from elsewhere.
        let notes: [String]

        init(_ trial: RuleTrial, _ document: JSONDocument) {
            let place = document.position(at: trial.range.lowerBound)
            (entry, rule, line, column) = (trial.entry, trial.rule, place.line, place.column)
            (pointer, exclude, matches) = (trial.pointer, trial.isExclude, trial.matches)
            evidence = trial.mark.rawValue
            parts = trial.parts.map(Part.init)
            notes = trial.notes
        }
    }

    struct Part: Encodable {
        let part, pattern, origin, evidence: String
        let name, text, note: String?
        let matches: Bool

        init(_ trial: PartTrial) {
            (part, name) = trial.part.words
            (pattern, text, note, matches) = (trial.pattern, trial.text, trial.note, trial.matches)
            (origin, evidence) = (trial.origin.rawValue, trial.mark.rawValue)
        }
    }

    struct Dispute: Encodable {
        let code, question, taken, other, otherwise: String

        init(_ dispute: LinkDispute) {
            (code, question, taken, other) = (dispute.code, dispute.question, dispute.taken, dispute.other)
            otherwise = dispute.otherwise.rawValue
        }
    }

    let url, platform: String
    let app: String?
    let decision, summary: String
    /// The rule that decided; null when none matched.
    let rule: Rule?
    let disputed: Bool
    let disputes: [Dispute]
    /// Every rule that was tried, in order; only `explain` has them.
    let trials: [Rule]?

    init(_ answer: LinkAnswer, of answers: LinkAnswers, withTrials: Bool) {
        (url, platform) = (answers.url, answers.platform.rawValue)
        (app, decision, summary) = (answer.app, answer.decision.rawValue, answer.summary)
        rule = answer.explanation?.deciding.map { Rule($0, answers.document) }
        disputes = answer.explanation?.disputes.map(Dispute.init) ?? []
        disputed = !disputes.isEmpty
        trials = withTrials ? answer.explanation?.trials.map { Rule($0, answers.document) } ?? [] : nil
    }
}

extension PartTrial.Part {
    /// `path`, `query`, `item` with its name, `fragment`.
    var words: (String, String?) {
        switch self {
        case .path: ("path", nil)
        case .query: ("query", nil)
        case .item(let name): ("item", name)
        case .fragment: ("fragment", nil)
        }
    }
}
