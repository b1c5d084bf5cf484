import WellKnown

/// One of the two files as the link tester shows it.
struct LinkTesterReport: Sendable {
    let kind: AssociationKind
    let apple: AppleMatcher?
    let android: AndroidMatcher?
    let file: LinkTesterFile

    /// - Parameter content: nil when the file is not configured.
    init(kind: AssociationKind, content: [UInt8]?) {
        self.kind = kind
        let report = content.map { AssociationLint.lint(body: $0, as: kind, options: LintOptions()) }
        apple = report?.aasa.map { AppleMatcher($0) }
        android = report?.assetLinks.map { AndroidMatcher($0) }
        file = LinkTesterFile(kind, report)
    }

    /// What each app of the file does with the link.
    func platform(_ link: LinkURL) -> LinkTesterPlatform {
        let name = kind == .aasa ? "iPhone and Mac" : "Android"
        var apps: [LinkTesterApp] = []
        if let apple { apps = apple.apps.map { LinkTesterApp($0, apple.explain(link, app: $0)) } }
        if let android { apps = android.apps.map { LinkTesterApp($0, android.explain(link, package: $0)) } }
        let summary =
            if file.isMissing { "The file is not configured: every link stays in the browser." } else if apps.isEmpty {
                "The file names no app for links: every link stays in the browser."
            } else { "What happens on a device on which the app is installed and the host is among the app's own." }
        return LinkTesterPlatform(name: name, summary: summary, apps: apps)
    }
}

struct LinkTesterPlatform: Sendable {
    let name, summary: String
    let apps: [LinkTesterApp]
}

/// The decision for one app, with the rules that led to it.
struct LinkTesterApp: Sendable {
    struct Line: Sendable { let text: String }

    let app, verdict, because: String
    let trials, disputes: [Line]
    let hasTrials: Bool

    init(_ app: String, _ explanation: LinkExplanation) {
        self.app = app
        verdict =
            switch explanation.decision {
            case .opens: "opens the app"
            case .noMatch: "stays in the browser"
            case .excluded: "stays in the browser, excluded"
            case .manifestDecides: "as the app's manifest says"
            }
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
struct LinkTesterFile: Sendable {
    struct Item: Sendable { let severity, place, message, fix, code: String }

    let path, state: String
    let findings: [Item]
    let hasFindings, isMissing: Bool

    init(_ kind: AssociationKind, _ report: LintReport?) {
        path = kind.path
        isMissing = report == nil
        findings = (report?.findings ?? []).map {
            Item(
                severity: $0.severity.rawValue, place: $0.position.map { "line \($0)" } ?? "", message: $0.message,
                fix: $0.fix ?? "", code: $0.code)
        }
        hasFindings = !findings.isEmpty
        state =
            if isMissing { "Not configured, so it is 404." } else if findings.isEmpty {
                "Served, and no findings."
            } else {
                "Served, \(findings.count) \(findings.count == 1 ? "finding" : "findings")."
            }
    }
}
