package import SSOShared

/// What native screens of an app send as `Authorization: Bearer`: `sat_…`.
package typealias AccessToken = Secret<AccessTokenKind>

/// The kind of ``AccessToken``.
package enum AccessTokenKind: SecretKind {
    package static let prefix = "sat_"
}

/// An access token that is about to be issued.
package struct NewAccessToken: Sendable {
    package let token: AccessToken
    /// The name of the device, for the user's list.
    let device: String

    package init(token: AccessToken, device: String) {
        (self.token, self.device) = (token, device)
    }
}
