public import SSOShared

/// Reads the statements of sites and apps as Google's Digital Asset Links service does.
///
/// Sources: the Digital Asset Links specification (github.com/google/digitalassetlinks, well-known/details.md) and its
/// compatibility suite; https://developers.google.com/digital-asset-links/reference/rest/v1
public struct DigitalAssetLinksClient: Sendable {
    private let content: any AssetContent

    public init(content: any AssetContent) { self.content = content }

    /// Answers a request object of either kind. An invalid request also results in an answer.
    public func answer(_ request: JSONNode, _ kind: AssetQuery.Kind) async -> AssetAnswer {
        do {
            return await answer(try AssetQuery(request, kind))
        } catch {
            return AssetAnswer(
                outcome: .queryParsingError, result: kind == .list ? .statements([]) : .linked(false),
                errors: [error.error])
        }
    }

    /// Answers a query: the statements, or with a target whether the assets are linked.
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
            // If all statements are requested, an asset without statements is reported as a probable mistake
            // (comptest2002). An app that does not exist with this certificate has none (smoketests02).
            if query.asksForEverything, crawl.links.isEmpty, errors.isEmpty, !crawl.isUnknownApp {
                errors.append(AssetError(.fetchError, "No statements were found"))
            }
        }
        return AssetAnswer(
            outcome: errors.isEmpty ? .success : .fetchError, result: result, errors: errors,
            places: crawl.places, depth: crawl.depth, showsExtensions: query.returnsExtensions)
    }
}

/// Collects the statements of an asset: its own list, and the lists that it includes.
///
/// A list is requested once, even if it is included several times or includes itself. The order is depth first and
/// follows the files, so the result does not depend on response times.
struct StatementCrawl {
    /// The maximum number of included lists.
    ///
    /// Source: https://developers.google.com/digital-asset-links/v1/statements: "a maximum of 10 include statements".
    static let budget = 10

    /// The beginning of the message about a loop. The message about the budget differs after the parenthesis.
    static let loopWords = "Fetch budget exhausted: too many includes (maybe a loop): a loop, "

    let source: LinkedAsset
    let content: any AssetContent
    var links: [AssetLink] = []
    var errors: [AssetError] = []
    /// The URL of each list that was read, in order.
    var places: [String] = []
    /// The number of includes between the asset's own list and the most distant list that was read.
    var depth = 0
    /// Whether no app has the source's package name and certificate.
    private(set) var isUnknownApp = false

    private var known: Set<AssetLink.Identity> = []
    private var seen: Set<String> = []
    private var followed = 0

    init(source: LinkedAsset, content: any AssetContent) {
        self.source = source
        self.content = content
    }

    mutating func run() async {
        switch source {
        case .web(let origin):
            let url = origin + AssetLinks.path
            seen.insert(url)
            await read(url, reply: content.list(at: url), ancestors: [url])
        case .androidApp(let package, let fingerprint):
            let reply = await content.list(ofApp: package, fingerprint: fingerprint)
            if case .nothing = reply { isUnknownApp = true }
            await read("the manifest of \(package)", reply: reply, ancestors: [])
        }
    }

    private mutating func read(_ place: String, reply: AssetContentReply, ancestors: [String]) async {
        let body: [UInt8]
        switch reply {
        case .nothing: return
        case .failure(var error):
            error.place = place
            return errors.append(error)
        case .manifest(let text): body = text
        case .answer(let status, let contentType, let text):
            if let error = Self.refusal(status: status, contentType: contentType, place: place) {
                return errors.append(error)
            }
            body = text
        }
        places.append(place)
        depth = max(depth, ancestors.count - 1)
        guard let file = parse(body, place) else { return }
        var reported: Set<String> = []
        for (index, statement) in file.statements.enumerated() {
            let reading = StatementReading(statement, source: source)
            for fault in reading.faults where reported.count < 100 && reported.insert(fault).inserted {
                malformed("statement \(index + 1): \(fault)", place)
            }
            for link in reading.links where known.insert(link.identity).inserted { links.append(link) }
            if let include = reading.include {
                await follow(include, reading.includeText, from: place, ancestors: ancestors)
            }
        }
    }

    private mutating func follow(_ address: SiteAddress, _ text: String, from place: String, ancestors: [String]) async
    {
        // Every list on the way counts: one that arrived over https includes none over http (comptest5009).
        if address.scheme != "https", source.isSecure || ancestors.contains(where: { $0.hasPrefix("https://") }) {
            let rule =
                source.isSecure
                ? "Insecure URL in fetch stack of secure asset"
                : "Insecure include file included by secure include file"
            errors.append(
                AssetError(.secureAssetIncludesInsecure, "\(rule): \(place) includes \(text.quoted)", place: place))
            return
        }
        // Fragments are not sent. Default ports and upper case do not make a different list.
        let rest = address.rest.prefix { $0 != "#" }
        let url = address.origin + (rest.first == "/" ? "" : "/") + rest
        guard !ancestors.contains(url) else { return exhausted("a loop, \(place) includes \(url) again", place) }
        guard !seen.contains(url) else { return }
        guard followed < Self.budget else {
            return exhausted("more than \(Self.budget) includes, \(url) not fetched", place)
        }
        seen.insert(url)
        followed += 1
        await read(url, reply: content.list(at: url), ancestors: ancestors + [url])
    }

    private mutating func exhausted(_ why: String, _ place: String) {
        errors.append(
            AssetError(
                .fetchBudgetExhausted, "Fetch budget exhausted: too many includes (maybe a loop): \(why)", place: place)
        )
    }

    private mutating func malformed(_ why: String, _ place: String) {
        errors.append(AssetError(.malformedContent, "Could not parse statement list (\(why)) [\(place)]", place: place))
    }

    private mutating func parse(_ body: [UInt8], _ place: String) -> AssetLinksFile? {
        let document = JSONReader.read(body)
        // Strict: JSON that only some parsers accept must not grant a permission. The suite has duplicate keys valid.
        let fault = document.errors.first { if case .duplicateKey = $0.kind { false } else { true } }
        if let fault {
            let position = document.position(at: fault.offset)
            malformed("not valid JSON: \(position.line):\(position.column) \(fault.message)", place)
            return nil
        }
        guard let file = AssetLinksFile(document) else {
            // The suite expects "not valid JSON" for 42, and "expected a single array" for an object.
            let type = document.root?.typeName ?? "nothing"
            malformed("not valid JSON for a list: expected a single array, found \(type)", place)
            return nil
        }
        return file
    }

    private static func refusal(status: Int, contentType: String?, place: String) -> AssetError? {
        guard status == 200 else {
            if (300..<400).contains(status), status != 304 {
                return AssetError(.redirect, "\(place) redirects (\(status)): redirects are not followed", place: place)
            }
            let words = status == 404 ? "404 Not Found" : "HTTP status \(status)"
            return AssetError(.fetchError, "Error fetching \(place): \(words)", place: place)
        }
        let type = (contentType ?? "").prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
        guard type == "application/json" else {
            let shown = contentType.map { $0.quoted } ?? "none"
            return AssetError(
                .wrongContentType, "Wrong content type of \(place): \(shown), expected application/json", place: place)
        }
        return nil
    }
}
