import SSOShared

extension ParityLint {
    /// What the files say differently.
    ///
    /// - Parameters:
    ///   - aasaName: the name of Apple's file, for the findings.
    ///   - assetLinksName: the name of Android's.
    public func findings(
        aasaName: String = "apple-app-site-association", assetLinksName: String = "assetlinks.json"
    ) -> [Finding] {
        // Of many apps with the same rules, the first is named and the others are counted.
        var known: [[String]: Int] = [:]
        var different: [(difference: Difference, more: Int)] = []
        let pairs = pairs.prefix(100)
        let effort = max(500, 40_000 / max(pairs.count, 1))
        for pair in pairs {
            for difference in differences(of: pair, effort: min(effort, 20_000)) {
                let key = [
                    difference.url.description, difference.apple.decision.rawValue,
                    difference.androidDecision.rawValue,
                ]
                if let index = known[key] {
                    different[index].more += 1
                } else {
                    known[key] = different.count
                    different.append((difference, 0))
                }
            }
        }
        return different.map { finding($0.difference, more: $0.more, aasaName, assetLinksName) }
            + serviceFindings(aasaName, assetLinksName)
    }

    private func finding(
        _ difference: Difference, more: Int, _ aasaName: String, _ assetLinksName: String
    ) -> Finding {
        let ios =
            difference.apple.decision == .opens
            ? "opens \(difference.pair.apple)" : Self.words(difference.apple.decision)
        let onAndroid: String
        switch difference.androidDecision {
        case .opens: onAndroid = "opens \(difference.pair.android)"
        case .manifestDecides: onAndroid = "goes by the manifest of \(difference.pair.android), which is not at hand"
        case let decision:
            let fileAllows = difference.android.decision == .opens || difference.android.decision == .manifestDecides
            onAndroid = fileAllows ? "does not open it: no intent filter names it" : Self.words(decision)
        }
        let isDisputed = difference.apple.isDisputed || difference.android.isDisputed
        let message =
            "\(difference.url): iOS \(ios); Android \(onAndroid).\(more > 0 ? " (So do \(more) more apps.)" : "")"
            + (isDisputed ? " (Disputed.)" : "")
        let isOpen = difference.androidDecision == .manifestDecides
        // The rule that speaks of the link: Apple's if there is one, else Android's.
        let trial = difference.apple.deciding ?? difference.android.deciding
        let isApple = difference.apple.deciding != nil
        let document = isApple ? apple.file.document : android.file.document
        return Finding(
            ParityRules.decision, message, severity: isOpen ? .info : nil,
            file: isApple || trial == nil ? aasaName : assetLinksName,
            position: trial.map { document.position(at: $0.range.lowerBound) }, pointer: trial?.pointer)
    }

    private static func words(_ decision: LinkDecision) -> String {
        switch decision {
        case .opens: "opens the app"
        case .noMatch: "does not open it: no rule names it"
        case .excluded: "does not open it: a rule excludes it"
        case .manifestDecides: "goes by the manifest"
        }
    }

    /// Whether passwords and passkeys are shared on both systems.
    private func serviceFindings(_ aasaName: String, _ assetLinksName: String) -> [Finding] {
        let hasApple = apple.file.webcredentials.value?.appIDs.isEmpty == false
        let relation = android.file.statements.first { statement in
            statement.relations.contains(RelationNames.getLoginCredentials)
                && statement.target.value?.namespace.value == "android_app"
        }
        if hasApple, relation == nil, !android.apps.isEmpty {
            return [
                Finding(
                    ParityRules.service, "iOS apps have webcredentials; no Android app has get_login_creds.",
                    file: assetLinksName,
                    position: android.file.document.root.map {
                        android.file.document.position(at: $0.range.lowerBound)
                    },
                    pointer: "")
            ]
        }
        if !hasApple, let relation, !apple.apps.isEmpty {
            let document = android.file.document
            return [
                Finding(
                    ParityRules.service, "Android apps have get_login_creds; no iOS app has webcredentials.",
                    file: assetLinksName, position: document.position(at: relation.node.range.lowerBound),
                    pointer: document.pointer(at: relation.node.range.lowerBound))
            ]
        }
        return []
    }

    /// A finding for a host that has one of the files only; `nil` for one that has both or none.
    public static func hostFinding(_ host: String, hasAASA: Bool, hasAssetLinks: Bool) -> Finding? {
        guard hasAASA != hasAssetLinks else { return nil }
        let (there, missing) =
            hasAASA
            ? ("apple-app-site-association", "assetlinks.json") : ("assetlinks.json", "apple-app-site-association")
        return Finding(ParityRules.host, "\(host) has \(there) and no \(missing).")
    }
}
