import Foundation
import SSOShared
import WellKnown

/// Enables Associated Domains for an App ID.
struct AppStoreConnectClient {
    enum Outcome: String, Sendable {
        case enabled
        case wasEnabled = "enabled already"
        case wouldBeEnabled = "would be enabled"
    }

    struct Result: Sendable {
        let outcome: Outcome
        let identifier: String
        let name: String?
        /// The prefix that comes before the bundle id in the file on the server.
        let prefix: String?
    }

    let address: AppStoreConnectAddress
    let token: AppStoreConnectToken
    let carrier: AppStoreConnectWebTransport
    let now: @Sendable () -> Date

    /// The maximum number of pages to search. A team can have more App IDs with the same beginning.
    private static let maximumPages = 20
    private static let capability = "ASSOCIATED_DOMAINS"

    /// - Parameter isDryRun: whether to read only and change nothing.
    func enable(bundleID: String, isDryRun: Bool) async throws(AppStoreConnectError) -> Result {
        let (id, item) = try await find(bundleID)
        func result(_ outcome: Outcome) -> Result {
            Result(outcome: outcome, identifier: bundleID, name: item["name"]?.string, prefix: item["seedId"]?.string)
        }
        if try await isEnabled(id) { return result(.wasEnabled) }
        guard !isDryRun else { return result(.wouldBeEnabled) }

        let body = JSONText.bytes([
            .init(
                "data",
                [
                    .init("type", "bundleIdCapabilities"),
                    .init("attributes", [.init("capabilityType", Self.capability)]),
                    .init(
                        "relationships",
                        [.init("bundleId", [.init("data", [.init("type", "bundleIds"), .init("id", id)])])]),
                ])
        ])
        let answer = try await send(address.newCapability, body: body)
        if answer.status == 201 || answer.status == 200 { return result(.enabled) }
        // Another request may have enabled the capability at the same time. The App ID's state then decides.
        if answer.status == 409, try await isEnabled(id) { return result(.wasEnabled) }
        throw Self.fault(of: answer)
    }

    /// Finds the App ID with exactly this identifier. Apple's filter also returns longer identifiers.
    ///
    /// Source: Apple, "App Store Connect API", Bundle IDs and Bundle ID Capabilities.
    private func find(_ identifier: String) async throws(AppStoreConnectError) -> (id: String, attributes: JSONNode) {
        var near: [String] = []
        let url = address.bundleIDs(beginning: identifier)
        let found = try await first(from: url) { item -> (id: String, attributes: JSONNode)? in
            guard let id = item["id"]?.string, let attributes = item["attributes"],
                let name = attributes["identifier"]?.string
            else { return nil }
            near.append(name)
            return name == identifier ? (id, attributes) : nil
        }
        guard let found else { throw .noSuchBundleID(identifier, near: near) }
        return found
    }

    private func isEnabled(_ id: String) async throws(AppStoreConnectError) -> Bool {
        try await first(from: address.capabilities(of: id)) { item -> String? in
            item["attributes"]?["capabilityType"]?.string.flatMap { $0 == Self.capability ? $0 : nil }
        } != nil
    }

    /// The first item that `found` takes, of a document and the pages that follow it.
    private func first<Item>(from url: String, _ found: (JSONNode) -> Item?) async throws(AppStoreConnectError) -> Item?
    {
        var url = url
        for _ in 0..<Self.maximumPages {
            let answer = try await send(url)
            guard answer.status == 200 else { throw Self.fault(of: answer) }
            let document = JSONReader.read(answer.body).root
            guard let items = document?["data"]?.array else {
                throw .unexpected(status: answer.status, "its JSON has another form")
            }
            for item in items {
                if let wanted = found(item) { return wanted }
            }
            guard let next = document?["links"]?["next"]?.string else { return nil }
            url = try address.page(next)
        }
        return nil
    }

    /// Creates a new token for each request. A run takes seconds, so a token cache is unnecessary.
    private func send(_ url: String, body: [UInt8]? = nil) async throws(AppStoreConnectError) -> HTTPAnswer {
        try await carrier.carry(url, body: body, token: try token.text(now: now()))
    }

    private static func fault(of answer: HTTPAnswer) -> AppStoreConnectError {
        if answer.status == 429 { return .rateLimited(limit: limit(in: answer)) }
        guard let errors = JSONReader.read(answer.body).root?["errors"]?.array else {
            return (300..<400).contains(answer.status)
                ? .unexpected(status: answer.status, "it points elsewhere, and is not followed")
                : .unexpected(status: answer.status, "it carries none of Apple's error messages")
        }
        let words = words(of: errors)
        return switch answer.status {
        case 401: .notAuthorized(words)
        case 403: .forbidden(words)
        default: .refused(status: answer.status, words)
        }
    }

    /// Apple's titles and details in one line, without duplicates.
    private static func words(of errors: [JSONNode]) -> String {
        errors.prefix(3).map { item in
            let (title, detail) = (item["title"]?.string, item["detail"]?.string)
            let parts = [title, detail == title ? nil : detail, item["code"]?.string.map { "[\($0)]" }]
            return parts.compactMap(\.self).joined(separator: " ")
        }.joined(separator: " ")
    }

    /// Reads the hourly limit from `X-Rate-Limit: user-hour-lim:3500;user-hour-rem:0;`. Source: Apple, "Identifying
    /// Rate Limits".
    private static func limit(in answer: HTTPAnswer) -> String? {
        let item = answer["x-rate-limit"]?.split(separator: ";").first { $0.hasPrefix("user-hour-lim:") }
        return item.map { String($0.dropFirst("user-hour-lim:".count).prefix(12)) }
    }
}

/// Sends requests to App Store Connect with the network rules of the other commands: the certificate is checked, no
/// redirects, no proxy, limited time and size.
struct AppStoreConnectWebTransport: Sendable {
    private let client: WebClient
    /// True only for a loopback address.
    private let isPlaintext: Bool

    /// - Throws: ``AppStoreConnectError/notReached(_:)`` if curl cannot be initialised.
    init(isPlaintext: Bool, caFile: String?) throws(AppStoreConnectError) {
        var settings = WebSettings()
        // Apple responds in a second or two. A few hundred App IDs have some hundred kilobytes.
        settings.timeLimit = .seconds(30)
        settings.largestBody = 4 << 20
        settings.caFile = caFile
        guard let client = WebClient(settings) else { throw .notReached("curl cannot be used") }
        self.client = client
        self.isPlaintext = isPlaintext
    }

    /// - Parameters:
    ///   - body: the JSON body of a POST request, or `nil` for a GET request.
    /// - Throws: ``AppStoreConnectError/notReached(_:)``.
    func carry(_ url: String, body: [UInt8]?, token: String) async throws(AppStoreConnectError) -> HTTPAnswer {
        var question = WebRequest(url: url)
        question.userAgent = "wellknown/\(ProductVersion.text)"
        // The user chose the address, so a proxy with a private address is allowed.
        question.allowsPrivate = true
        question.allowsHTTP = isPlaintext
        question.headers = ["Authorization: Bearer \(token)", "Accept: application/json"]
        question.posted = body
        if body != nil { question.headers.append("Content-Type: application/json") }
        switch await client.ask(question) {
        case .failure(let failure): throw .notReached(failure.words)
        case .success(let answer):
            guard !answer.isTruncated else { throw .unexpected(status: answer.status, "it is larger than 4 MiB") }
            return answer
        }
    }
}
