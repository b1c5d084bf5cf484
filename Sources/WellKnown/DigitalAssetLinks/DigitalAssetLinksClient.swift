public import SSOShared

/// Asks who is linked to whom, as Google's Digital Asset Links service answers it.
///
/// Sources: the Digital Asset Links specification (github.com/google/digitalassetlinks, well-known/details.md) and its
/// compatibility suite; https://developers.google.com/digital-asset-links/reference/rest/v1
public struct DigitalAssetLinksClient: Sendable {
    private let content: any AssetContent

    public init(content: any AssetContent) { self.content = content }

    /// Answers a request object of either kind. A request that cannot be understood is an answer, too.
    public func answer(_ request: JSONNode, _ kind: AssetQuery.Kind) async -> AssetAnswer {
        do {
            return await answer(try AssetQuery(request, kind))
        } catch {
            return AssetAnswer(
                outcome: .queryParsingError, result: kind == .list ? .statements([]) : .linked(false),
                errors: [error.error])
        }
    }

    /// Answers a query: the statements without a target, whether linked with one.
    public func answer(_ query: AssetQuery) async -> AssetAnswer {
        var crawl = StatementCrawl(source: query.source, content: content)
        await crawl.run()
        let matching = crawl.links.filter { query.relation == nil || $0.relation == query.relation }
        var errors = crawl.errors
        let result: AssetAnswer.Result
        if let target = query.target {
            result = .linked(matching.contains { $0.target == target })
        } else {
            result = .statements(matching)
            // Asked for everything, an asset that says nothing is more likely a mistake than an answer: comptest2002.
            if query.asksForEverything, crawl.links.isEmpty, errors.isEmpty {
                errors.append(AssetError(.fetchError, "No statements were found"))
            }
        }
        return AssetAnswer(
            outcome: errors.isEmpty ? .success : .fetchError, result: result, errors: errors,
            places: crawl.places, depth: crawl.depth, showsExtensions: query.returnsExtensions)
    }
}
