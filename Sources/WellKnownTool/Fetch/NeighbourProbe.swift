import SSOShared
import WellKnown

/// Asks a site for the neighbours of the association files.
struct NeighbourProbe: Sendable {
    let client: WebClient
    let target: FetchTarget

    /// All neighbours that exist, in a fixed order.
    func all() async -> [FetchReport.Neighbouring] {
        // An answer names its kind: a number that a task captures is 0 after its await in release builds of Swift 6.3.1.
        let answers = await withTaskGroup(of: FetchReport.Neighbouring.self) { group in
            for kind in Neighbour.allCases { group.addTask { await ask(kind, at: kind.path) } }
            return await group.reduce(into: [:]) { $0[$1.kind] = $1 }
        }
        return Neighbour.allCases.compactMap { answers[$0] }.filter(\.exists)
    }

    func ask(_ kind: Neighbour, at path: String) async -> FetchReport.Neighbouring {
        let url = target.url(path)
        let outcome = await send(url)
        let impossible = kind == .changePassword ? await send(target.url(NeighbourTransport.impossiblePath)) : nil
        return FetchReport.Neighbouring(
            kind: kind, fact: FetchReport.Fact(what: kind.rawValue, url: url, outcome: outcome),
            findings: NeighbourTransport.findings(outcome, of: kind, url: url, impossible: impossible))
    }

    private func send(_ url: String) async -> HTTPOutcome { await client.ask(WebRequest(url: url)) }
}

extension FetchReport {
    /// A neighbour of the association files: the answer and its findings.
    struct Neighbouring: Sendable {
        let kind: Neighbour
        let fact: Fact
        var findings: [Finding]

        var exists: Bool {
            guard case .success(let answer) = fact.outcome else { return false }
            return answer.status != 404 && answer.status != 410
        }

        var trouble: String { if case .failure(let failure) = fact.outcome { failure.words } else { "" } }
    }
}
