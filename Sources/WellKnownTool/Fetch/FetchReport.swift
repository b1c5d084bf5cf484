import WellKnown

/// Everything that fetching a site brought to light.
struct FetchReport: Sendable {
    /// One request, for the record.
    struct Fact: Sendable {
        /// What was tried: "as AASA-Bot/1.0.0", "over IPv6".
        let what: String
        let url: String
        let outcome: HTTPOutcome
    }

    /// One file: what was asked, and what is wrong.
    struct File: Sendable {
        let kind: AssociationKind
        let url: String
        let isChecked: Bool
        var facts: [Fact]
        var findings: [Finding]
        var omitted: [String: Int] = [:]
        /// Apple's and Google's words about it, one line each.
        var notes: [String] = []
    }

    let target: FetchTarget
    var files: [File]
}

extension FetchReport.Fact {
    /// The facts in an observation, in the order of interest.
    static func list(_ seen: OriginObservation) -> [FetchReport.Fact] {
        var facts = [FetchReport.Fact(what: "as \(seen.file.userAgent)", url: seen.url, outcome: seen.main)]
        func add(_ what: String, _ outcome: HTTPOutcome?, _ url: String? = nil) {
            guard let outcome else { return }
            facts.append(FetchReport.Fact(what: what, url: url ?? seen.url, outcome: outcome))
        }
        add("as a browser", seen.browser)
        add("with HEAD", seen.head)
        add("over IPv4", seen.overIPv4)
        add("over IPv6", seen.overIPv6)
        add("over http", seen.plain)
        add("at the root", seen.atRoot)
        for other in seen.misnamed { add("as \(other.name)", other.outcome) }
        if let other = seen.sibling { add("at \(other.name)", other.outcome) }
        if let other = seen.parent { add("at \(other.name)", other.outcome) }
        return facts
    }
}
