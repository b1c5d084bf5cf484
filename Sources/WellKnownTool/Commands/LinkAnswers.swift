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
