import Foundation
import SSOShared
import WellKnown

/// One request to the API, without its token.
struct StoreConnectRequest: Sendable {
    let url: String
    /// The JSON body of a POST request, or `nil` for a GET request.
    var body: [UInt8]?
}

/// A response of the API.
struct StoreConnectAnswer: Sendable {
    let status: Int
    /// The headers, with names in lower case.
    var headers: [(name: String, value: String)] = []
    let body: [UInt8]
}

/// Sends requests to the API.
protocol AppStoreConnectTransport: Sendable {
    /// - Throws: ``AppStoreConnectError/notReached(_:)``.
    func carry(_ request: StoreConnectRequest, token: String) async throws(AppStoreConnectError) -> StoreConnectAnswer
}

/// Enables Associated Domains for an App ID.
struct AppStoreConnectClient {
    /// The result of enabling the capability.
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
    let carrier: any AppStoreConnectTransport
    let now: @Sendable () -> Date

    /// The maximum number of pages to search. A team can have more App IDs with the same beginning.
    private static let maximumPages = 20
    private static let capability = "ASSOCIATED_DOMAINS"

    /// - Parameter isDryRun: whether to read only and change nothing.
    func enable(bundleID: String, isDryRun: Bool) async throws(AppStoreConnectError) -> Result {
        let item = try await find(bundleID)
        func result(_ outcome: Outcome) -> Result {
            Result(
                outcome: outcome, identifier: item.attributes.identifier, name: item.attributes.name,
                prefix: item.attributes.seedId)
        }
        if try await isEnabled(item.id) { return result(.wasEnabled) }
        guard !isDryRun else { return result(.wouldBeEnabled) }

        guard let body = try? JSONEncoder().encode(StoreConnectMessages.NewCapability(bundleID: item.id)) else {
            throw .badArgument("the request cannot be written")
        }
        let answer = try await send(StoreConnectRequest(url: address.newCapability, body: Array(body)))
        if answer.status == 201 || answer.status == 200 { return result(.enabled) }
        // Another request may have enabled the capability at the same time. The App ID's state then decides.
        if answer.status == 409, try await isEnabled(item.id) { return result(.wasEnabled) }
        throw Self.fault(of: answer)
    }

    /// Finds the App ID with exactly this identifier. Apple's filter also returns longer identifiers.
    private func find(_ identifier: String) async throws(AppStoreConnectError) -> StoreConnectMessages.BundleIDs.Item {
        var near: [String] = []
        var next: String? = address.bundleIDs(beginning: identifier)
        for _ in 0..<Self.maximumPages {
            guard let url = next else { break }
            let page = try await get(url, as: StoreConnectMessages.BundleIDs.self)
            if let item = page.data.first(where: { $0.attributes.identifier == identifier }) { return item }
            near += page.data.map(\.attributes.identifier)
            if let link = page.links?.next { next = try address.page(link) } else { next = nil }
        }
        throw .noSuchBundleID(identifier, near: near)
    }

    private func isEnabled(_ id: String) async throws(AppStoreConnectError) -> Bool {
        var next: String? = address.capabilities(of: id)
        for _ in 0..<Self.maximumPages {
            guard let url = next else { break }
            let page = try await get(url, as: StoreConnectMessages.Capabilities.self)
            if page.data.contains(where: { $0.attributes?.capabilityType == Self.capability }) { return true }
            if let link = page.links?.next { next = try address.page(link) } else { next = nil }
        }
        return false
    }

    private func get<Document: Decodable>(
        _ url: String, as type: Document.Type
    ) async throws(AppStoreConnectError) -> Document {
        let answer = try await send(StoreConnectRequest(url: url))
        guard answer.status == 200 else { throw Self.fault(of: answer) }
        guard let document = try? JSONDecoder().decode(type, from: Data(answer.body)) else {
            throw .unexpected(status: answer.status, "its JSON has another form")
        }
        return document
    }

    /// Creates a new token for each request. A run takes seconds, so a token cache is unnecessary.
    private func send(_ request: StoreConnectRequest) async throws(AppStoreConnectError) -> StoreConnectAnswer {
        try await carrier.carry(request, token: try token.text(now: now()))
    }

    private static func fault(of answer: StoreConnectAnswer) -> AppStoreConnectError {
        if answer.status == 429 { return .rateLimited(limit: limit(in: answer)) }
        guard let errors = try? JSONDecoder().decode(StoreConnectMessages.Errors.self, from: Data(answer.body)) else {
            return (300..<400).contains(answer.status)
                ? .unexpected(status: answer.status, "it points elsewhere, and is not followed")
                : .unexpected(status: answer.status, "it carries none of Apple's error messages")
        }
        return switch answer.status {
        case 401: .notAuthorized(errors.words)
        case 403: .forbidden(errors.words)
        default: .refused(status: answer.status, errors.words)
        }
    }

    /// Reads the hourly limit from `X-Rate-Limit: user-hour-lim:3500;user-hour-rem:0;`. Source: Apple, "Identifying
    /// Rate Limits".
    private static func limit(in answer: StoreConnectAnswer) -> String? {
        let header = answer.headers.first { $0.name == "x-rate-limit" }?.value
        let item = header?.split(separator: ";").first { $0.hasPrefix("user-hour-lim:") }
        return item.map { String($0.dropFirst("user-hour-lim:".count).prefix(12)) }
    }
}

/// Sends requests to App Store Connect with the network rules of the other commands: the certificate is checked, no
/// redirects, no proxy, limited time and size.
struct AppStoreConnectWebTransport: AppStoreConnectTransport {
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

    func carry(_ request: StoreConnectRequest, token: String) async throws(AppStoreConnectError) -> StoreConnectAnswer {
        var question = WebRequest(url: request.url)
        question.userAgent = "wellknown/\(ProductVersion.text)"
        // The user chose the address, so a proxy with a private address is allowed.
        question.allowsPrivate = true
        question.allowsHTTP = isPlaintext
        question.headers = ["Authorization: Bearer \(token)", "Accept: application/json"]
        question.posted = request.body
        if request.body != nil { question.headers.append("Content-Type: application/json") }
        switch await client.ask(question) {
        case .failure(let failure): throw .notReached(failure.words)
        case .success(let answer):
            guard !answer.isTruncated else { throw .unexpected(status: answer.status, "it is larger than 4 MiB") }
            return StoreConnectAnswer(status: answer.status, headers: answer.headers, body: answer.body)
        }
    }
}
