/// The client's answer to one request.
public struct AssetAnswer: Sendable {
    /// How it went, in the words of the compatibility suite.
    public enum Outcome: String, Sendable {
        /// Nothing went wrong that could have changed the result.
        case success = "SUCCESS"
        /// The request can never have an answer; nothing was fetched.
        case queryParsingError = "QUERY_PARSING_ERROR"
        /// A list could not be fetched or read in full. What could be stands in the result: `linked` may be true.
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
