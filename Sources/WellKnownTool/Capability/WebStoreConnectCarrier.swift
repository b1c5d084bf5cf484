import WellKnown

/// Carries requests to App Store Connect as every command reaches the network: certificate checked, no redirect followed,
/// no proxy, bounded in time and size.
struct WebStoreConnectCarrier: StoreConnectCarrier {
    private let client: WebClient
    /// Only ever set for this very machine.
    private let isPlaintext: Bool

    /// - Throws: ``StoreConnectFault/notReached(_:)`` when curl cannot be used.
    init(isPlaintext: Bool, caFile: String?) throws(StoreConnectFault) {
        var settings = WebSettings()
        // Apple answers in a second or two; some hundred App IDs are some hundred kilobytes.
        settings.timeLimit = .seconds(30)
        settings.largestBody = 4 << 20
        settings.caFile = caFile
        guard let client = WebClient(settings) else { throw .notReached("curl cannot be used") }
        self.client = client
        self.isPlaintext = isPlaintext
    }

    func carry(_ request: StoreConnectRequest, token: String) async throws(StoreConnectFault) -> StoreConnectAnswer {
        var question = WebRequest(url: request.url)
        question.userAgent = "wellknown/\(WellKnownProgram.version)"
        // The address is the user's own choice, not a stranger's: a proxy in the house is fine.
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
