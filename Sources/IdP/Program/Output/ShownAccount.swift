import IdPOperations
import SSOShared

/// All that `idp user show` prints of an account.
struct ShownAccount: Sendable {
    let details: AccountDetails
    let sessions: [ListedSession]
    /// What the log calls the address, the present name first. Empty without `IDP_SECRET_KEY`.
    let addressIDs: [String]

    var members: [JSONText.Member] { AccountOutput.members(details, sessions, addressIDs: addressIDs) }
}
