import SSOWeb
import WellKnown

/// One of the two files as the link tester shows it. What the library reports stays in English.
struct LinkTesterReport: Sendable {
    let kind: AssociationKind
    let apple: AppleMatcher?
    let android: AndroidMatcher?
    let file: LinkTesterFile
    private let texts: Texts

    /// - Parameter content: nil when the file is not configured.
    init(kind: AssociationKind, content: [UInt8]?, texts: Texts) {
        (self.kind, self.texts) = (kind, texts)
        let report = content.map { AssociationLint.lint(body: $0, as: kind, options: LintOptions()) }
        apple = report?.aasa.map { AppleMatcher($0) }
        android = report?.assetLinks.map { AndroidMatcher($0) }
        file = LinkTesterFile(kind, report, texts)
    }

    /// What each app of the file does with the link.
    func platform(_ link: LinkURL) -> LinkTesterPlatform {
        var apps: [LinkTesterApp] = []
        if let apple { apps = apple.apps.map { LinkTesterApp($0, apple.explain(link, app: $0), texts) } }
        if let android { apps = android.apps.map { LinkTesterApp($0, android.explain(link, package: $0), texts) } }
        let summary = file.isMissing ? "not-set-up" : apps.isEmpty ? "no-app" : "what-happens"
        return LinkTesterPlatform(
            nameHTML: texts.html(Text(kind == .aasa ? "link-tester.apple" : "link-tester.android")),
            summaryHTML: texts.html(Text("link-tester.\(summary)")), apps: apps)
    }
}

struct LinkTesterPlatform: Encodable, Sendable {
    let nameHTML, summaryHTML: String
    let apps: [LinkTesterApp]
}

/// The decision for one app, with the rules that led to it.
struct LinkTesterApp: Encodable, Sendable {
    struct Line: Encodable, Sendable { let text: String }

    let verdictHTML, because: String
    let trials, disputes: [Line]
    let hasTrials: Bool

    init(_ app: String, _ explanation: LinkExplanation, _ texts: Texts) {
        let verdict =
            switch explanation.decision {
            case .opens: "link-tester.opens"
            case .noMatch: "link-tester.stays"
            case .excluded: "link-tester.excluded"
            case .manifestDecides: "link-tester.manifest"
            }
        verdictHTML = texts.html(Text(verdict, ["app": app]))
        because = explanation.summary
        trials = explanation.trials.map { Line(text: Self.words($0)) }
        disputes = explanation.disputes.map {
            Line(
                text:
                    "Disputed. \($0.question) Taken here: \($0.taken). Else: \($0.other), and it would be: \($0.otherwise.rawValue)."
            )
        }
        hasTrials = !trials.isEmpty
    }

    private static func words(_ trial: RuleTrial) -> String {
        let parts = trial.parts.map { part in
            let name =
                switch part.part {
                case .path: "path"
                case .query: "query"
                case .item(let name): "query item \(name)"
                case .fragment: "fragment"
                }
            let text = part.text.map { "\"\($0)\"" } ?? "nothing"
            let note = part.note.map { " (\($0))" } ?? ""
            return "\(name) \(part.pattern) \(part.matches ? "matches" : "does not match") \(text)\(note)"
        }
        let kind = trial.isExclude ? "exclude rule" : "rule"
        return "\(kind) \(trial.pointer): \(trial.matches ? "yes" : "no"). " + parts.joined(separator: "; ")
    }
}

/// The findings of a file.
struct LinkTesterFile: Encodable, Sendable {
    struct Item: Encodable, Sendable { let severity, place, message, fix, code: String }

    let path, stateHTML: String
    let findings: [Item]
    let hasFindings, isMissing: Bool

    init(_ kind: AssociationKind, _ report: LintReport?, _ texts: Texts) {
        path = kind.path
        isMissing = report == nil
        findings = (report?.findings ?? []).map {
            Item(
                severity: $0.severity.rawValue, place: $0.position.map { "line \($0)" } ?? "", message: $0.message,
                fix: $0.fix ?? "", code: $0.code)
        }
        hasFindings = !findings.isEmpty
        let state =
            if isMissing { Text("link-tester.missing") } else if findings.isEmpty {
                Text("link-tester.no-findings")
            } else { Text("link-tester.served", count: findings.count) }
        stateHTML = texts.html(state)
    }
}
