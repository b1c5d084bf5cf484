/// Checks for the file on other paths of the host and on related hosts.
enum SiteLint {
    static func findings(_ seen: OriginObservation) -> [Finding] {
        var findings: [Finding] = []
        func add(_ rule: LintRule, _ message: String) { findings.append(Finding(rule, message)) }
        let isThere = hasFile(seen.main)
        if !isThere {
            if let root = seen.atRoot, hasFile(root) {
                add(TransportRules.locationRoot, "/\(seen.file.fileName) has the file; \(seen.file.path) does not.")
            }
            for other in seen.misnamed where hasFile(other.outcome) {
                add(TransportRules.wrongName, "\(other.name) has the file; \(seen.file.path) is asked for.")
            }
        }
        guard let sibling = seen.sibling, case .success(let answer) = sibling.outcome else { return findings }
        let host = FetchTarget(seen.url)?.host ?? seen.url
        switch (isThere, hasFile(sibling.outcome)) {
        case (true, false):
            add(TransportRules.wwwVersusApex, "\(host) has the file; \(sibling.name) answers \(said(answer)).")
        case (false, true): add(TransportRules.wwwVersusApex, "\(sibling.name) has the file; \(host) does not.")
        default: break
        }
        return findings
    }

    /// Whether the response has status 200 and is JSON. A site that returns an HTML page for every path has no file.
    static func hasFile(_ outcome: HTTPOutcome) -> Bool {
        guard case .success(let answer) = outcome, answer.status == 200 else { return false }
        let first = answer.body.first { $0 > 0x20 && ![0xef, 0xbb, 0xbf].contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == 0x30
    }

    private static func said(_ answer: HTTPAnswer) -> String {
        guard answer.status == 200 else {
            return "\(answer.status)" + (answer["location"].map { ", to \($0.quoted)" } ?? "")
        }
        return "200 with something else"
    }
}
