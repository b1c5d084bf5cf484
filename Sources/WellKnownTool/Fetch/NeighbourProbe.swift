import SSOShared
import WellKnown

/// Asks a site for the neighbours of the association files.
struct NeighbourProbe: Sendable {
    let client: WebClient
    let target: FetchTarget

    /// All neighbours that exist, in a fixed order.
    func all() async -> [FetchReport.Neighbouring] {
        await withTaskGroup(of: (Int, FetchReport.Neighbouring).self) { group in
            for (index, kind) in Neighbour.allCases.enumerated() {
                group.addTask { (index, await ask(kind, at: kind.path)) }
            }
            var found: [(Int, FetchReport.Neighbouring)] = []
            for await item in group { found.append(item) }
            return found.sorted { $0.0 < $1.0 }.map(\.1).filter(\.exists)
        }
    }

    func ask(_ kind: Neighbour, at path: String) async -> FetchReport.Neighbouring {
        let url = target.url(path)
        let outcome = await send(url)
        let impossible = kind == .changePassword ? await send(target.url(NeighbourTransport.impossiblePath)) : nil
        return FetchReport.Neighbouring(
            kind: kind, fact: FetchReport.Fact(what: kind.rawValue, url: url, outcome: outcome),
            findings: NeighbourTransport.findings(outcome, of: kind, url: url, impossible: impossible))
    }

    private func send(_ url: String) async -> HTTPOutcome {
        var request = WebRequest(url: url)
        request.allowsPrivate = client.settings.allowsPrivate
        return await client.ask(request)
    }
}

extension FetchReport {
    /// A neighbour of the association files: the answer and its findings.
    struct Neighbouring: Sendable {
        let kind: Neighbour
        let fact: Fact
        let findings: [Finding]

        /// Whether the site has the file.
        var exists: Bool {
            guard case .success(let answer) = fact.outcome else { return false }
            return answer.status != 404 && answer.status != 410
        }

        /// The reason for the missing answer.
        var trouble: String { if case .failure(let failure) = fact.outcome { failure.words } else { "" } }
    }
}
