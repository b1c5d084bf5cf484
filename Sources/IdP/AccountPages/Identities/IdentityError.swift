import HTTPTypes
import SSOShared
import SSOWeb

/// Why a change of how a user signs in is not carried out.
enum IdentityError {
    /// The account would have no identity left.
    static let last = PublicError(
        .conflict, code: "last_identity", title: Text("error.last-identity.title"),
        explanation: Text("error.last-identity"), cause: "last_identity")

    /// It has waited for too long, was carried out, or belongs to another browser.
    static let ended = PublicError(
        .gone, code: "change_ended", title: Text("error.change-ended.title"), explanation: Text("error.change-ended"),
        cause: "account_change_not_pending")

    /// The user has signed in to another account than the one to be changed.
    static let otherAccount = PublicError(
        .conflict, code: "other_account", title: Text("error.other-account.title"),
        explanation: Text("error.other-account"), cause: "account_change_of_other_account")
}
