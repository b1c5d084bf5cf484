import SSOShared
import WellKnown

struct LinkAnswer {
    /// The app, or `nil` if the file does not name an app.
    let app: String?
    let decision: LinkDecision
    let explanation: LinkExplanation?
    let summary: String
    let verdict: LinkVerdict
    /// The decisions by a manifest and its file, the newest version first. Empty without a manifest.
    var versions: [AndroidAppMatcher.VersionDecision] = []
    var manifest: String?

    /// - Parameters:
    ///   - stranger: a remark for an app that the file does not name.
    ///   - summary: the text if there is no explanation.
    ///   - isDecided: whether the file at hand decides, if there is no explanation.
    init(app: String?, explanation: LinkExplanation?, stranger: String? = nil, summary: String, isDecided: Bool = true)
    {
        self.app = app
        self.explanation = explanation
        decision = explanation?.decision ?? .noMatch
        self.summary = [explanation?.summary ?? summary, stranger].compactMap(\.self).joined(separator: " ")
        verdict = LinkVerdict(decision, isDecided: explanation?.isDecided ?? isDecided)
    }
}

extension LinkAnswer {
    /// The answer for an Android app: the decision on the newest version.
    init(app: String, manifest: String, decisions: [AndroidAppMatcher.VersionDecision]) {
        self.app = app
        self.manifest = manifest
        versions = decisions
        let newest = decisions.first
        explanation = newest?.file
        decision = newest?.decision ?? .noMatch
        summary = newest?.summary ?? "Only http and https addresses are links of a host."
        verdict = LinkVerdict(decision, isDecided: newest?.isDecided ?? true)
    }
}

/// What a decision means for a link.
enum LinkVerdict: String {
    case opens
    case doesNotOpen = "does not open"
    /// The files at hand do not say.
    case notDecided = "not decided"

    init(_ decision: LinkDecision, isDecided: Bool) {
        self = !isDecided || decision == .manifestDecides ? .notDecided : decision == .opens ? .opens : .doesNotOpen
    }

    /// The exit code of `match` and `explain`.
    var exitCode: Int32 {
        switch self {
        case .opens: 0
        case .doesNotOpen: 1
        case .notDecided: 3
        }
    }
}

/// What every selected app does with a link.
struct LinkAnswers {
    let url: String
    let platform: LinkPlatform
    let document: JSONDocument
    /// At least one answer, in the order of the file.
    let all: [LinkAnswer]

    /// The answer that counts if all apps are installed: the first app that opens the link, else the first about which
    /// the files do not decide, else the first that excludes it.
    var deciding: LinkAnswer? {
        all.first { $0.verdict == .opens } ?? all.first { $0.verdict == .notDecided }
            ?? all.first { $0.decision == .excluded } ?? all.first
    }

    /// The exit code. It is 1 if no app opens the link, and 3 if that is not decided.
    var exitCode: Int32 { deciding?.verdict.exitCode ?? LinkVerdict.doesNotOpen.exitCode }
}

struct LinkAnswerText {
    let answers: LinkAnswers
    let style: TextStyle

    /// The last line: what the link does if all apps are installed.
    var result: String { "\(answers.url.printable): \((answers.deciding?.verdict ?? .doesNotOpen).rawValue)\n" }

    /// The decision, the deciding rule, and the points on which sources disagree.
    func verdict(_ answer: LinkAnswer) -> String {
        page(answer, answer.explanation?.deciding.map { ["  at \(place($0)): \(patterns($0).printable)"] } ?? [])
    }

    /// The decision with every rule that was tried.
    func explanation(_ answer: LinkAnswer) -> String {
        var lines: [String] = []
        for trial in answer.versions.first?.trials ?? [] {
            let mark = trial.mismatch == nil ? style.paint("yes", .green) : style.paint("no", .faint)
            let place = trial.filter.position.map { "\($0) " } ?? ""
            lines.append("  \(place)filter of \((trial.filter.activity ?? "no name").printable): \(mark)")
            if let reason = trial.mismatch {
                lines.append(TextStyle.wrapped(reason.printable, first: "      ", rest: "        "))
            }
        }
        for trial in answer.explanation?.trials ?? [] {
            let mark = trial.matches ? style.paint("yes", .green) : style.paint("no", .faint)
            lines.append("  \(place(trial)) \(trial.pointer.printable)\(trial.isExclude ? " (exclude)" : ""): \(mark)")
            lines += trial.parts.map(part)
            lines += trial.notes.map { TextStyle.wrapped($0.printable, first: "      note: ", rest: "        ") }
        }
        return page(answer, lines)
    }

    /// The decision, the given lines, and the points on which sources disagree.
    private func page(_ answer: LinkAnswer, _ lines: [String]) -> String {
        let disputes = (answer.explanation?.disputes ?? []).flatMap { DisputeText.lines($0, style) }
        return
            ([headline(answer), indented(answer.summary, "  ")] + lines
            + answer.versions.dropFirst().flatMap(version) + disputes).joined(separator: "\n") + "\n"
    }

    /// The decision on other versions than the newest.
    private func version(_ decision: AndroidAppMatcher.VersionDecision) -> [String] {
        let word =
            !decision.isDecided
            ? LinkVerdict.notDecided.rawValue : decision.asks ? "asks the user" : decision.decision.rawValue
        return ["  \(decision.versions): \(style.paint(word, .yellow))", indented(decision.summary, "    ")]
    }

    private func indented(_ text: String, _ indent: String) -> String {
        TextStyle.wrapped(text.printable, first: indent, rest: indent)
    }

    private func headline(_ answer: LinkAnswer) -> String {
        let colours: [LinkDecision: TextStyle.Colour] = [.opens: .green, .manifestDecides: .blue]
        let who = answer.app.map { "\($0.printable) on \(answers.platform.title)" } ?? answers.platform.title
        let decision = style.paint(answer.decision.rawValue, colours[answer.decision] ?? .yellow)
        guard answer.verdict == .notDecided else { return "\(who): \(decision)" }
        let verdict = style.paint(answer.verdict.rawValue, .blue)
        // "no match" is not an answer here: the search found none, or another file decides.
        return "\(who): \(verdict)" + (answer.decision == .manifestDecides ? " (\(answer.decision.rawValue))" : "")
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
}

/// Writes an open question with both positions.
enum DisputeText {
    /// - Parameters:
    ///   - subject: the file that the question is about.
    ///   - link: the link whose decision depends on the answer. Without it, the link is known.
    static func lines(
        _ dispute: LinkDispute, _ style: TextStyle, subject: String? = nil, link: LinkURL? = nil
    ) -> [String] {
        let about = subject.map { " in the \($0) file" } ?? ""
        let what = link?.description.printable ?? "it"
        return [
            TextStyle.wrapped(
                "\(style.paint("disputed", .yellow))\(about): \(dispute.question)", first: "  ", rest: "    "),
            TextStyle.wrapped("Taken here: \(dispute.taken).", first: "    ", rest: "      "),
            TextStyle.wrapped(
                "Else: \(dispute.other): then \(what) would be \"\(dispute.otherwise.rawValue)\".", first: "    ",
                rest: "      "),
        ]
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

enum LinkAnswerJSON {
    /// - Parameter withTrials: whether every rule and filter that was tried is written, as `explain` does.
    static func object(_ answer: LinkAnswer, of answers: LinkAnswers, withTrials: Bool) -> JSONObject {
        let (explanation, newest) = (answer.explanation, answer.versions.first)
        let disputes = explanation?.disputes.map { dispute($0) } ?? []
        let trials = explanation?.trials.map { rule($0, answers.document) } ?? []
        let filters = newest?.trials.map { filter($0.filter, in: answer.manifest, mismatch: $0.mismatch) }
        return [
            "url": answers.url, "platform": answers.platform.rawValue, "app": answer.app,
            "decision": answer.decision.rawValue, "summary": answer.summary, "verdict": answer.verdict.rawValue,
            "rule": explanation?.deciding.map { rule($0, answers.document) }, "disputed": !disputes.isEmpty,
            "disputes": disputes, "trials": withTrials ? trials : nil,
            // Android with a manifest.
            "filter": newest?.filter.map { filter($0, in: answer.manifest) },
            "versions": newest.map { _ in answer.versions.map(version) }, "filters": withTrials ? filters : nil,
        ]
    }

    /// - Parameters:
    ///   - side: in a comparison, the file that the question is about: "old" or "new".
    ///   - app: in a comparison, the app that it concerns.
    static func dispute(
        _ dispute: LinkDispute, side: String? = nil, app: String? = nil, url: String? = nil
    ) -> JSONObject {
        [
            "code": dispute.code, "question": dispute.question, "taken": dispute.taken, "other": dispute.other,
            "otherwise": dispute.otherwise.rawValue, "side": side, "app": app, "url": url,
        ]
    }

    private static func rule(_ trial: RuleTrial, _ document: JSONDocument) -> JSONObject {
        let place = document.position(at: trial.range.lowerBound)
        return [
            "entry": trial.entry, "rule": trial.rule, "line": place.line, "column": place.column,
            "pointer": trial.pointer, "exclude": trial.isExclude, "matches": trial.matches,
            "evidence": trial.mark.rawValue, "parts": trial.parts.map(part), "notes": trial.notes,
        ]
    }

    private static func part(_ trial: PartTrial) -> JSONObject {
        let name: String? = if case .item(let name) = trial.part { name } else { nil }
        return [
            "part": name == nil ? trial.part.title : "item", "name": name, "pattern": trial.pattern,
            "origin": trial.origin.rawValue, "text": trial.text,
            "note": trial.note, "matches": trial.matches, "evidence": trial.mark.rawValue,
        ]
    }

    private static func filter(_ filter: IntentFilter, in file: String?, mismatch: String? = nil) -> JSONObject {
        [
            "file": file, "activity": filter.activity, "mismatch": mismatch, "line": filter.position?.line,
            "column": filter.position?.column,
        ]
    }

    private static func version(_ decision: AndroidAppMatcher.VersionDecision) -> JSONObject {
        [
            "minSdk": decision.sdks.lowerBound, "maxSdk": decision.sdks.upperBound, "versions": decision.versions,
            "decision": decision.decision.rawValue, "summary": decision.summary, "asks": decision.asks,
            "verdict": LinkVerdict(decision.decision, isDecided: decision.isDecided).rawValue,
        ]
    }
}
