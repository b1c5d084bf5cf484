/// Why an answer may be incomplete, in the API's words.
///
/// Source: https://developers.google.com/digital-asset-links/reference/rest/v1/ErrorCode
public enum AssetErrorCode: String, Sendable, Hashable, CaseIterable {
    /// The request names no asset, or asks for no relation.
    case invalidQuery = "ERROR_CODE_INVALID_QUERY"
    /// No such host, no connection, or another status than 200.
    case fetchError = "ERROR_CODE_FETCH_ERROR"
    case failedSSLValidation = "ERROR_CODE_FAILED_SSL_VALIDATION"
    /// The list, or one that it includes, answers with a redirect. It is not followed.
    case redirect = "ERROR_CODE_REDIRECT"
    case tooLarge = "ERROR_CODE_TOO_LARGE"
    case malformedHTTPResponse = "ERROR_CODE_MALFORMED_HTTP_RESPONSE"
    /// The content type is not `application/json`.
    case wrongContentType = "ERROR_CODE_WRONG_CONTENT_TYPE"
    /// The list is no JSON, or one of its statements is ill-formed.
    case malformedContent = "ERROR_CODE_MALFORMED_CONTENT"
    /// A list that came over https includes one over http.
    case secureAssetIncludesInsecure = "ERROR_CODE_SECURE_ASSET_INCLUDES_INSECURE"
    /// More includes than are followed, or a loop of them.
    case fetchBudgetExhausted = "ERROR_CODE_FETCH_BUDGET_EXHAUSTED"
}

/// One thing that went wrong on the way to an answer. The rest of the answer stands.
public struct AssetError: Error, Hashable, Sendable {
    public let code: AssetErrorCode
    /// One line for people. The compatibility suite knows it by its words.
    public let message: String
    /// The address of the list it concerns; `nil` for the request, or for an app's manifest.
    public var place: String?

    public init(_ code: AssetErrorCode, _ message: String, place: String? = nil) {
        self.code = code
        self.message = message
        self.place = place
    }
}
