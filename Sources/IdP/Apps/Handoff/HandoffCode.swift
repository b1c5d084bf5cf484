import SSOShared

/// What carries a sign-in from the system browser to the web view of an app: `shc_…`. Worthless without the verifier that the
/// app kept.
typealias HandoffCode = Secret<HandoffCodeKind>

/// The kind of ``HandoffCode``.
enum HandoffCodeKind: SecretKind {
    static let prefix = "shc_"
}

/// A code that an app presents, with the verifier that it kept. Only consuming the code says whether both are right.
struct PresentedCode: Sendable {
    let code: HandoffCode
    let verifier: String

    /// Why there is nothing to consume.
    enum Reason {
        /// Code or verifier is missing, given twice, or does not have its form.
        case malformed
        /// No such code was issued.
        case unknown
    }

    /// Checks the form of both, and then whether there is such a code at all, on a reader: a flood of invented codes writes
    /// nothing.
    init(
        _ code: String?, _ verifier: String?, isKnown: (HandoffCode) async throws -> Bool,
        orElse refusal: (Reason) -> any Error
    ) async throws {
        guard let code = code.flatMap(HandoffCode.init), let verifier, CodeChallenge.isWellFormedVerifier(verifier)
        else { throw refusal(.malformed) }
        guard try await isKnown(code) else { throw refusal(.unknown) }
        (self.code, self.verifier) = (code, verifier)
    }
}
