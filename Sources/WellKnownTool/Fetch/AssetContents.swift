import WellKnown

/// Fetches statement lists from the network with one request each.
struct NetworkAssetContent: AssetContent {
    let client: WebClient

    func list(at url: String) async -> AssetContentReply {
        var request = WebRequest(url: url)
        request.userAgent = AssociationKind.assetlinks.userAgent
        // A site with an http address is requested over http.
        request.allowsHTTP = true
        switch await client.ask(request) {
        case .success(let answer) where answer.isTruncated:
            return .failure(AssetError(.tooLarge, "\(url) has more than \(client.settings.largestBody) bytes"))
        case .success(let answer): return AssetContentReply(answer)
        case .failure(let failure): return .failure(Self.error(failure, url))
        }
    }

    /// An app's statements are in its package. No server publishes them.
    func list(ofApp packageName: String, fingerprint: String) async -> AssetContentReply {
        .failure(
            AssetError(.fetchError, "The statements of \(packageName) are in its package; give them with --content"))
    }

    private static func error(_ failure: HTTPFetchError, _ url: String) -> AssetError {
        let code: AssetErrorCode =
            switch failure {
            case .certificate, .tls: .failedSSLValidation
            case .malformed: .malformedHTTPResponse
            default: .fetchError
            }
        return AssetError(code, "Error fetching \(url): \(failure.words)")
    }
}

/// The site's own list from the response that was just fetched. Its includes come from the network.
struct ObservedAssetContent: AssetContent {
    let url: String
    let outcome: HTTPOutcome
    let network: NetworkAssetContent

    func list(at url: String) async -> AssetContentReply {
        guard url == self.url, case .success(let answer) = outcome, !answer.isTruncated else {
            return await network.list(at: url)
        }
        return AssetContentReply(answer)
    }

    func list(ofApp packageName: String, fingerprint: String) async -> AssetContentReply { .nothing }
}

extension AssetContentReply {
    fileprivate init(_ answer: HTTPAnswer) {
        self = .answer(status: answer.status, contentType: answer["content-type"], body: answer.body)
    }
}

/// A list that is already there. It includes no other.
struct GivenAssetContent: AssetContent {
    let url: String
    let body: [UInt8]

    func list(at url: String) async -> AssetContentReply {
        guard url == self.url else { return .nothing }
        return .answer(status: 200, contentType: "application/json", body: body)
    }

    func list(ofApp packageName: String, fingerprint: String) async -> AssetContentReply { .nothing }
}
