public import SSOShared

/// The client's answer to one request.
public struct AssetAnswer: Sendable {
    /// How it went, in the words of the compatibility suite.
    public enum Outcome: String, Sendable {
        /// Nothing went wrong that could have changed the result.
        case success = "SUCCESS"
        /// The request can never have an answer; nothing was fetched.
        case queryParsingError = "QUERY_PARSING_ERROR"
        /// A list could not be fetched or read in full. The result contains what could be read: `linked` may be true.
        case fetchError = "FETCH_ERROR"
    }

    public enum Result: Sendable {
        /// Of `list`: in the order of the lists, none twice.
        case statements([AssetLink])
        /// Of `check`.
        case linked(Bool)
    }

    public let outcome: Outcome
    public let result: Result
    /// In the order they happened.
    public let errors: [AssetError]
    /// The address of each list that was read.
    public let places: [String]
    /// How many includes lie between the asset's own list and the furthest one that was read.
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

    /// The codes of the errors, each once.
    public var errorCodes: [AssetErrorCode] {
        var codes: [AssetErrorCode] = []
        for error in errors where !codes.contains(error.code) { codes.append(error.code) }
        return codes
    }

    /// The statements; empty for the answer to a check.
    public var statements: [AssetLink] { if case .statements(let links) = result { links } else { [] } }

    /// One object: `outcome`; `statements` or `linked` as in the API's answer, and once more as `response`, the name it
    /// has in the compatibility suite; with errors `error_code` and `error_message`.
    public func json() -> [UInt8] {
        var members: [(String, AssociationJSON)] = [("outcome", .string(outcome.rawValue))]
        switch result {
        case .statements(let links):
            let statements = AssociationJSON.array(links.map { $0.json(withExtensions: showsExtensions) })
            members += [("statements", statements), ("response", statements)]
        case .linked(let isLinked):
            members += [("linked", .bool(isLinked)), ("response", .bool(isLinked))]
        }
        if !errors.isEmpty {
            members.append(("error_code", .array(errorCodes.map { .string($0.rawValue) })))
            members.append(("error_message", .string(errors.map(\.message).joined(separator: "\n"))))
        }
        if !places.isEmpty { members.append(("fetched", .array(places.map { .string($0) }))) }
        return AssociationJSON.object(members).bytes
    }
}

/// A statement as the client answers it: one relation between two assets.
public struct AssetLink: Sendable {
    public let source: LinkedAsset
    /// `kind/detail`.
    public let relation: String
    public let target: LinkedAsset
    /// The object in `relation_extensions` under the relation, if there is one.
    public let extensions: JSONNode?

    /// What makes two statements the same.
    struct Identity: Hashable {
        let source: LinkedAsset
        let relation: String
        let target: LinkedAsset
    }
    var identity: Identity { Identity(source: source, relation: relation, target: target) }

    func json(withExtensions: Bool) -> AssociationJSON {
        var members: [(String, AssociationJSON)] = [
            ("source", source.json), ("relation", .string(relation)), ("target", target.json),
        ]
        if withExtensions, let extensions {
            members.append(("relation_extensions", .object([(relation, .node(extensions))])))
        }
        return .object(members)
    }
}

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
    /// The list is not JSON, or one of its statements is invalid.
    case malformedContent = "ERROR_CODE_MALFORMED_CONTENT"
    /// A list that came over https includes one over http.
    case secureAssetIncludesInsecure = "ERROR_CODE_SECURE_ASSET_INCLUDES_INSECURE"
    /// More includes than are followed, or a loop of them.
    case fetchBudgetExhausted = "ERROR_CODE_FETCH_BUDGET_EXHAUSTED"
}

/// An error that occurred on the way to an answer. The rest of the answer is valid.
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
