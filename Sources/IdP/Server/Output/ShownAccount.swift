package import IdPOperations
package import SSOShared

/// All that `idp user show` prints of an account.
package struct ShownAccount: Sendable {
    package let details: AccountDetails
    package let sessions: [ListedSession]
    /// What the log calls the address, the present name first. Empty without `IDP_SECRET_KEY`.
    package let addressIDs: [String]

    package init(details: AccountDetails, sessions: [ListedSession], addressIDs: [String]) {
        (self.details, self.sessions, self.addressIDs) = (details, sessions, addressIDs)
    }

    package var members: [JSONText.Member] { AccountOutput.members(details, sessions, addressIDs: addressIDs) }
}
