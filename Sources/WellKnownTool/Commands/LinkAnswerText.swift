import SSOShared
import WellKnown

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
