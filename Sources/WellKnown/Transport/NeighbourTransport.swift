/// Checks how the neighbours are served.
public enum NeighbourTransport {
    /// An address that no site has. Source: W3C, "Detecting the reliability of HTTP status codes".
    public static let impossiblePath = "/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200"

    /// - Parameter impossible: the answer for ``impossiblePath``. Only ``Neighbour/changePassword`` needs it.
    public static func findings(
        _ outcome: HTTPOutcome, of kind: Neighbour, url: String, impossible: HTTPOutcome? = nil
    ) -> [Finding] {
        // A site without the file, and one that this machine cannot reach, have no finding.
        guard case .success(let answer) = outcome, answer.status != 404, answer.status != 410 else { return [] }
        if kind == .changePassword { return changePassword(answer, url, impossible) }
        guard answer.status == 200 else {
            let target = answer["location"].map { ", to \($0.quoted)" } ?? ""
            // A site that redirects everything, or asks everyone to sign in, does not have the file for that.
            let isOwn = !answer.isRedirect && answer.status != 401 && answer.status != 403
            return [
                Finding(
                    NeighbourRules.served, "\(kind.path) answers \(answer.status)\(target).",
                    severity: isOwn ? .warning : .info, file: url)
            ]
        }
        let first = answer.body.first { $0 > 0x20 }
        if first == UInt8(ascii: "<") {
            return [Finding(NeighbourRules.served, "\(kind.path) answers with a page.", severity: .info, file: url)]
        }
        var findings = NeighbourLint.findings(in: answer.body, as: kind, file: url)
        if kind != .merchant, answer.mediaType != "application/json" {
            let type = answer["content-type"]?.quoted ?? "no type"
            findings.append(
                Finding(NeighbourRules.served, "\(kind.path) has \(type), not application/json.", file: url))
        }
        return findings
    }

    private static func changePassword(_ answer: HTTPAnswer, _ url: String, _ impossible: HTTPOutcome?) -> [Finding] {
        var findings: [Finding] = []
        if case .success(let other)? = impossible, other.status == 200, answer.isRedirect || answer.status == 200 {
            findings.append(Finding(NeighbourRules.soft404, "\(impossiblePath) answers 200.", file: url))
        }
        let isGood = answer.status == 200 || [302, 303, 307].contains(answer.status) && answer["location"] != nil
        if !isGood {
            findings.append(
                Finding(
                    NeighbourRules.changePassword,
                    "\(Neighbour.changePassword.path) answers \(answer.status), not 302, 303 or 307 with a target.",
                    severity: answer.isRedirect ? .info : nil, file: url))
        }
        return findings
    }
}
