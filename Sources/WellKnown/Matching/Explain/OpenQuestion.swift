import SSOShared

/// An open question about Apple's matcher. The file is matched again with the other answer, to see whether it matters.
struct OpenQuestion: Sendable {
    let code: String
    let question: String
    let taken: String
    let other: String
    /// The other answers.
    let assumptions: [MatchingAssumptions]
    /// Whether the question can arise for a link. Fast, with false positives.
    let concerns: @Sendable (AppleMatcher, LinkURL) -> Bool

    private init(
        _ code: String, _ question: String, taken: String, other: String,
        _ changes: [@Sendable (inout MatchingAssumptions) -> Void],
        concerns: @escaping @Sendable (AppleMatcher, LinkURL) -> Bool
    ) {
        self.code = code
        self.question = question
        self.taken = taken
        self.other = other
        self.concerns = concerns
        assumptions = changes.map { change in
            var assumptions = MatchingAssumptions()
            change(&assumptions)
            return assumptions
        }
    }

    /// The disputes that would change the decision.
    static func disputes(_ matcher: AppleMatcher, _ url: LinkURL, app: String, _ decision: LinkDecision)
        -> [LinkDispute]
    {
        var disputes: [LinkDispute] = []
        // All questions share one effort, so a hostile file gets fewer answers and takes no more time.
        var effort = MatchEffort()
        for dispute in all where dispute.concerns(matcher, url) {
            for assumptions in dispute.assumptions where !effort.isSpent {
                let other = AppleMatcher(matcher.file, assumptions, only: app).decide(url, app: app, &effort)
                guard other != decision, !effort.isSpent else { continue }
                disputes.append(dispute.found(other))
                break
            }
        }
        let byKeys = FileAcceptance.duplicateKeyDispute(matcher.file.document, decision) { file in
            AppleMatcher(file, MatchingAssumptions(), only: app).decide(url, app: app, &effort)
        }
        return disputes + FileAcceptance.appleDisputes(matcher.file.document, decision)
            + [byKeys].compactMap(\.self).filter { _ in !effort.isSpent }
    }

    private func found(_ otherwise: LinkDecision) -> LinkDispute {
        LinkDispute(code: code, question: question, taken: taken, other: other, otherwise: otherwise)
    }

    static let all: [OpenQuestion] = [
        OpenQuestion(
            "both-app-keys", "What does appID mean beside appIDs?",
            taken: "Nothing: appIDs wins, even empty (seen on swcutil)",
            other: "Both count (other matchers unite them)", [{ $0.unitesAppIDs = true }]
        ) { matcher, _ in
            matcher.file.applinks.value?.entries.contains { $0.appID.value != nil && $0.appIDs.value != nil } ?? false
        },
        OpenQuestion(
            "both-rules", "What do paths mean beside components?",
            taken: "Nothing since iOS 13 (WWDC 2019 session 717)",
            other:
                "The whole entry does not work (Apple TN3155), or paths follow the components, or, on iOS 12, paths alone",
            [{ $0.mixedRules = .none }, { $0.mixedRules = .componentsThenPaths }, { $0.mixedRules = .paths }]
        ) { matcher, _ in
            matcher.file.applinks.value?.entries.contains { $0.paths.value != nil && $0.components.value != nil }
                ?? false
        },
        OpenQuestion(
            "first-slash", "May a star at the beginning of a path pattern match the first slash?",
            taken: "No: the first slash is trimmed from both sides (seen on swcutil for other patterns)",
            other: "Yes: a plain comparison with the whole path", [{ $0.starTakesFirstSlash = true }]
        ) { matcher, _ in matcher.rules.contains { $0.path.source.utf8.first == 0x2a && $0.path.code.count > 1 } },
        OpenQuestion(
            "star-crosses-slash", "Does a star inside a path pattern go beyond a slash?",
            taken: "Yes, as one at the end does (seen on swcutil)",
            other: "No: WWDC 2019 session 717 speaks of \"the first component\"", [{ $0.innerStarStopsAtSlash = true }]
        ) { matcher, _ in matcher.rules.contains { $0.path.code.dropLast().contains(.star) } },
        OpenQuestion(
            "double-slash", "Are several slashes inside a path one?", taken: "No: only outer slashes are trimmed",
            other: "Yes: some systems collapse them", [{ $0.collapsesSlashes = true }]
        ) { _, url in LinkText(url.bytes, url.pathRange, isASCII: true).withoutOuterSlashes.string.contains("//") },
        OpenQuestion(
            "dot-segments", "Are . and .. resolved before the comparison?",
            taken: "No: the address is compared as it is sent",
            other: "Yes: browsers resolve them before they send (WHATWG URL)", [{ $0.resolvesDots = true }]
        ) { _, url in url.path.contains("/.") },
        OpenQuestion(
            "question-mark-unit", "What does ? count when percentEncoded is false?", taken: "Characters",
            other: "Bytes of UTF-8", [{ $0.countsBytes = true }]
        ) { matcher, url in url.bytes.contains(0x25) && matcher.rules.contains { $0.reading.contains(.decoded) } },
        OpenQuestion(
            "decoded-items", "Are query items decoded when percentEncoded is false?",
            taken: "Yes, names and values, as the path is", other: "No: only the path is",
            [{ $0.decodesItems = false }]
        ) { matcher, url in
            url.query?.contains("%") == true && matcher.rules.contains { $0.reading.contains(.decoded) }
        },
        OpenQuestion(
            "item-name-case", "Do names of query items fold when caseSensitive is false?",
            taken: "No: they are not patterns", other: "Yes, like everything else", [{ $0.foldsItemNames = true }]
        ) { matcher, url in url.query != nil && matcher.rules.contains { $0.reading.contains(.folded) } },
        OpenQuestion(
            "case-beyond-ascii", "Do letters beyond ASCII fold when caseSensitive is false?",
            taken: "No: only ASCII letters were seen to", other: "Yes, by Unicode", [{ $0.foldsUnicode = true }]
        ) { matcher, _ in matcher.rules.contains { $0.reading == [.folded, .decoded] } },
        OpenQuestion(
            "redefined-variable", "May a file redefine a predefined variable?",
            taken: "Yes: the file's values count", other: "No: the system's values count", [{ $0.redefines = false }]
        ) { matcher, _ in
            matcher.file.applinks.value?.substitutionVariables.value?.contains {
                SubstitutionVariables.predefined.contains($0.name)
            } ?? false
        },
        OpenQuestion(
            "variables-in-paths", "Are there variables in legacy paths?",
            taken: "Yes: the system keeps paths as the same pattern objects",
            other: "No: documented for components only", [{ $0.expandsInPaths = false }]
        ) { matcher, _ in matcher.rules.contains { $0.isPath && $0.path.source.contains("$(") } },
        OpenQuestion(
            "defaults-with-paths", "Do defaults reach legacy paths?",
            taken: "Yes: the system keeps paths as the same pattern objects",
            other: "No: documented for components only", [{ $0.defaultsReachPaths = false }]
        ) { matcher, _ in matcher.hasDefaults && matcher.rules.contains(where: \.isPath) },
        OpenQuestion(
            "wrong-type-over-default", "Does a value of the wrong type leave the default in force?",
            taken: "No: the key is set, and its value ignored", other: "Yes: as if the key were absent",
            [{ $0.wrongTypeKeepsDefault = true }]
        ) { matcher, _ in matcher.hasDefaults },
        OpenQuestion(
            "empty-path", "What does an empty path pattern match?",
            taken: "The root: nothing is left of either when the slashes are trimmed", other: "Nothing",
            [{ $0.emptyPathIsRoot = false }]
        ) { matcher, url in matcher.rules.contains { $0.path.source.isEmpty } },
        OpenQuestion(
            "bare-form", "Does a path pattern that ends in /** or /*/ also match without that segment?",
            taken: "Yes: stars in a row are one, and the last slashes are trimmed (seen on swcutil for /*)",
            other: "No: Apple shows it for a pattern that ends in /* only (TN3155)", [{ $0.bareNeedsPlainStar = true }]
        ) { matcher, _ in matcher.rules.contains { $0.path.hasUnplainBareForm } },
        OpenQuestion(
            "port", "Does a link with a port open the app?", taken: "Yes: the patterns say nothing about the port",
            other: "No: ports are not possible (Apple TN3155), and the file is fetched from port 443 only",
            [{ $0.refusesPorts = true }]
        ) { _, url in url.hasUnusualPort },
    ]
}

extension AppleMatcher {
    var rules: some Sequence<AppleRule> { entries.lazy.flatMap(\.rules) }

    var hasDefaults: Bool {
        guard let applinks = file.applinks.value else { return false }
        return applinks.defaults.value != nil || applinks.entries.contains { $0.defaults.value != nil }
    }
}
