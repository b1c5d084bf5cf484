public import SSOShared

/// The client's answer to one request.
public struct AssetAnswer: Sendable {
    /// The outcome, with the values of the compatibility suite.
    public enum Outcome: String, Sendable {
        /// No error occurred that could have changed the result.
        case success = "SUCCESS"
        /// The request is invalid. No list was fetched.
        case queryParsingError = "QUERY_PARSING_ERROR"
        /// A list could not be read completely. The result contains the valid parts, so `linked` may be true.
        case fetchError = "FETCH_ERROR"
    }

    public enum Result: Sendable {
        /// The result of `list`: statements in the order of the lists, without duplicates.
        case statements([AssetLink])
        /// The result of `check`.
        case linked(Bool)
    }

    public let outcome: Outcome
    public let result: Result
    /// The errors in the order in which they occurred.
    public let errors: [AssetError]
    /// The URL of each list that was read.
    public let places: [String]
    /// The number of includes between the asset's own list and the most distant list that was read.
    public let depth: Int
    private let showsExtensions: Bool

    init(
        outcome: Outcome, result: Result, errors: [AssetError], places: [String] = [], depth: Int = 0,
        showsExtensions: Bool = false
    ) {
        self.outcome = outcome
        self.result = result
        self.errors = errors
        self.places = places
        self.depth = depth
        self.showsExtensions = showsExtensions
    }

    public var errorCodes: [AssetErrorCode] { errors.map(\.code).uniqued { $0 } }

    /// The statements. Empty for the answer to a check.
    public var statements: [AssetLink] { if case .statements(let links) = result { links } else { [] } }

    /// Writes `outcome`, and `statements` or `linked` as in the API's answer, which `response` repeats for the
    /// compatibility suite. With errors, there are also `error_code` and `error_message`.
    public func json() -> [UInt8] {
        let (name, value): (String, AssociationJSON) =
            switch result {
            case .statements(let links): ("statements", .array(links.map { $0.json(withExtensions: showsExtensions) }))
            case .linked(let isLinked): ("linked", .bool(isLinked))
            }
        let errors: AssociationJSON = [
            "error_code": .array(errorCodes.map { .string($0.rawValue) }),
            "error_message": .string(errors.map(\.message).joined(separator: "\n")),
        ]
        return AssociationJSON.joined(
            ["outcome": .string(outcome.rawValue)], .object([(name, value), ("response", value)]),
            self.errors.isEmpty ? [:] : errors, places.isEmpty ? [:] : ["fetched": .array(places.map { .string($0) })]
        ).bytes
    }
}

/// A statement in the client's answer: one relation between two assets.
public struct AssetLink: Sendable {
    public let source: LinkedAsset
    /// The relation: `kind/detail`.
    public let relation: String
    public let target: LinkedAsset
    /// The object for the relation in `relation_extensions`, if there is one.
    public let extensions: JSONNode?

    /// Two statements with the same identity are duplicates.
    struct Identity: Hashable {
        let source: LinkedAsset
        let relation: String
        let target: LinkedAsset
    }
    var identity: Identity { Identity(source: source, relation: relation, target: target) }

    func json(withExtensions: Bool) -> AssociationJSON {
        .joined(
            ["source": source.json, "relation": .string(relation), "target": target.json],
            withExtensions ? extensions.map { ["relation_extensions": .object([(relation, .node($0))])] } ?? [:] : [:])
    }
}

/// The reason why an answer may be incomplete, with the API's values.
///
/// Source: https://developers.google.com/digital-asset-links/reference/rest/v1/ErrorCode
public enum AssetErrorCode: String, Sendable, Hashable, CaseIterable {
    /// The request does not name an asset or a relation.
    case invalidQuery = "ERROR_CODE_INVALID_QUERY"
    /// The host does not exist, the connection failed, or the status is not 200.
    case fetchError = "ERROR_CODE_FETCH_ERROR"
    case failedSSLValidation = "ERROR_CODE_FAILED_SSL_VALIDATION"
    /// The server redirects the request for the list or for an included list. The redirect is not followed.
    case redirect = "ERROR_CODE_REDIRECT"
    case tooLarge = "ERROR_CODE_TOO_LARGE"
    case malformedHTTPResponse = "ERROR_CODE_MALFORMED_HTTP_RESPONSE"
    /// The content type is not `application/json`.
    case wrongContentType = "ERROR_CODE_WRONG_CONTENT_TYPE"
    /// The list is not JSON, or one of its statements is invalid.
    case malformedContent = "ERROR_CODE_MALFORMED_CONTENT"
    /// A list that arrived over https includes a list over http.
    case secureAssetIncludesInsecure = "ERROR_CODE_SECURE_ASSET_INCLUDES_INSECURE"
    /// There are too many includes, or they form a loop.
    case fetchBudgetExhausted = "ERROR_CODE_FETCH_BUDGET_EXHAUSTED"
}

/// An error that occurred while reading the lists. The rest of the answer is valid.
public struct AssetError: Error, Hashable, Sendable {
    public let code: AssetErrorCode
    /// The message in one line. The compatibility suite compares it.
    public let message: String
    /// The URL of the list that caused the error. `nil` for the request and for an app's manifest.
    public var place: String?

    public init(_ code: AssetErrorCode, _ message: String, place: String? = nil) {
        self.code = code
        self.message = message
        self.place = place
    }
}
