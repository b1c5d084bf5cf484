import SSOShared

/// What lets the system browser link a provider for an app: `slt_` and 43 base64url characters of 32 random bytes. It names an
/// account, an app and a provider, works once and within a minute, and signs no user in. Prints as `<redacted>`: only
/// ``wire`` returns the text.
struct LinkTicket: Sendable {
    /// The beginning of every ticket. No other secret begins like it.
    static let prefix = "slt_"

    private let secret: PrefixedSecret

    /// The text as it travels. Never log it.
    var wire: String { secret.wire }

    /// SHA-256 of ``wire``: what is stored and looked up.
    var digest: [UInt8] { secret.digest }

    init(randomness: some Randomness) throws {
        secret = try PrefixedSecret(prefix: Self.prefix, randomness: randomness)
    }

    /// Parses a ticket. Nil unless the text has exactly the form of one.
    init?(wire text: String) {
        guard let secret = PrefixedSecret(wire: text, prefix: Self.prefix) else { return nil }
        self.secret = secret
    }
}

extension LinkTicket: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "<redacted>" }
    var debugDescription: String { "<redacted>" }
    /// `dump` prints the members in spite of a description, so there are none.
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a ticket or a code of a link is refused. The raw values are stable: the log has them as `reason`.
enum LinkRejection: String, Error, Sendable, CaseIterable {
    /// Missing, given twice, or not in its form.
    case malformed
    /// Never issued, replaced by a newer ticket of the same app, or purged.
    case unknown
    case expired
    case used
    /// The ticket is for another provider. It is void from now on.
    case wrongProvider = "wrong_provider"
    /// An attacker has the code and not the verifier. The code is void from now on.
    case wrongVerifier = "wrong_verifier"
    /// The access token is not the one that asked for the ticket. The code is void from now on.
    case otherApp = "other_app"
    /// The app that asked for the ticket is signed out, or its account may not sign in any more.
    case signedOut = "signed_out"
    /// `IDP_PROVIDERS_FILE` does not have the provider any more.
    case providerRemoved = "provider_removed"

    /// Whether an attack may be under way.
    var isAlert: Bool { [.used, .wrongProvider, .wrongVerifier, .otherApp].contains(self) }
}
