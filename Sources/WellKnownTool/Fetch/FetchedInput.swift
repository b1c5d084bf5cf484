import Foundation
import WellKnown

/// Association files out of the network, for commands that take a domain or an address in place of a file.
enum FetchedInput {
    /// Whether a word of the command line means a site: an address, or a domain that is not the name of a file here.
    static func isRemote(_ name: String) -> Bool {
        let lower = name.lowercased()
        if lower.hasPrefix("https://") || lower.hasPrefix("http://") { return FetchTarget(name) != nil }
        guard name != "-", !name.contains("/"), !lower.hasSuffix(".json"), !lower.hasSuffix(".txt"),
            let target = FetchTarget(name), target.host.contains("."), target.path == nil
        else { return false }
        return !FileManager.default.fileExists(atPath: name)
    }

    /// The body of an address; of a domain both files, or the one of a kind. A file that one of two platforms does not
    /// have is left out.
    ///
    /// - Throws: ``CannotCheck`` when there is nothing to look at.
    static func inputs(
        _ name: String, kind: AssociationKind?, client: WebClient
    ) async throws(CannotCheck) -> [AssociationInput] {
        guard let target = FetchTarget(name) else { throw CannotCheck("\(name) is no domain and no web address") }
        var inputs: [AssociationInput] = []
        var failures: [String] = []
        for (kind, path) in places(target, kind) {
            let url = target.url(path)
            switch await ask(url, kind, client) {
            case .success(let body): inputs.append(AssociationInput(name: url, body: body, kind: kind))
            case .failure(let fault): failures.append("\(url): \(fault)")
            }
        }
        guard !inputs.isEmpty else { throw CannotCheck(failures.joined(separator: "; ")) }
        return inputs
    }

    private static func places(
        _ target: FetchTarget, _ kind: AssociationKind?
    ) -> [(kind: AssociationKind?, path: String)] {
        if let path = target.path { return [(kind ?? AssociationKind.guess(fileName: path), path)] }
        return (kind.map { [$0] } ?? AssociationKind.allCases).map { ($0, $0.path) }
    }

    private static func ask(
        _ url: String, _ kind: AssociationKind?, _ client: WebClient
    ) async -> Result<[UInt8], CannotCheck> {
        var request = WebRequest(url: url)
        request.userAgent = (kind ?? .aasa).userAgent
        request.allowsPrivate = client.settings.allowsPrivate
        switch await client.ask(request) {
        case .failure(let failure): return .failure(CannotCheck(failure.words))
        case .success(let answer) where answer.status != 200:
            return .failure(CannotCheck("status \(answer.status); redirects are not followed"))
        case .success(let answer):
            return answer.isTruncated ? .failure(CannotCheck("larger than 1 MiB")) : .success(answer.body)
        }
    }
}
