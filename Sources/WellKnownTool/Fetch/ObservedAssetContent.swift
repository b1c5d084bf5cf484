import WellKnown

/// The site's own list as it was just fetched; what it includes comes from the network.
struct ObservedAssetContent: AssetContent {
    let url: String
    let outcome: HTTPOutcome
    let network: NetworkAssetContent

    func list(at url: String) async -> AssetContentReply {
        guard url == self.url, case .success(let answer) = outcome, !answer.isTruncated else {
            return await network.list(at: url)
        }
        return .answer(status: answer.status, contentType: answer["content-type"], body: answer.body)
    }

    func list(ofApp packageName: String, fingerprint: String) async -> AssetContentReply { .nothing }
}
