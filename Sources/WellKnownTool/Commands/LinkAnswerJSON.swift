import SSOShared
import WellKnown

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
