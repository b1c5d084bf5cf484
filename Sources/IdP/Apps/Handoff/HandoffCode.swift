import SSOShared

/// What carries a sign-in from the system browser to the web view of an app: `shc_…`. Worthless without the verifier that the
/// app kept.
typealias HandoffCode = Secret<HandoffCodeKind>

/// The kind of ``HandoffCode``.
enum HandoffCodeKind: SecretKind {
    static let prefix = "shc_"
}
