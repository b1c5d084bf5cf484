import JWT
import SSOShared

@testable import TestKit

/// An answer at the sign-in page that signs nobody in, and the reason that the log gives.
struct AssertionRow: Sendable, CustomStringConvertible {
    let description: String
    let reason: String
    let change: @Sendable (inout AssertionDraft) throws -> Void

    init(_ description: String, _ reason: String, _ change: @escaping @Sendable (inout AssertionDraft) throws -> Void) {
        (self.description, self.reason, self.change) = (description, reason, change)
    }

    /// The page is at `http://localhost:4000`.
    static let all = client + authenticator + credential

    private static func origin(_ text: String) -> AssertionRow {
        AssertionRow("the origin \(text)", "origin_mismatch") { $0.client["origin"] = JSONText.string(text) }
    }

    private static let client: [AssertionRow] =
        [
            "http://localhost", "http://localhost:4001", "https://localhost:4000", "http://evil.example:4000",
            "http://evil.localhost:4000", "http://localhost:4000.evil.example", "http://localhost:4000/",
            "HTTP://LOCALHOST:4000", "http://badlocalhost:4000", "http://user@localhost:4000", "null", "",
        ].map(origin) + [
            AssertionRow("no origin", "origin_missing") { $0.client["origin"] = nil },
            AssertionRow("another challenge", "challenge_mismatch") {
                $0.client["challenge"] = DraftObject.encoded(try RandomBytes.generate(32))
            },
            AssertionRow("an empty challenge", "challenge_mismatch") { $0.client["challenge"] = #""""# },
            AssertionRow("no challenge", "challenge_missing") { $0.client["challenge"] = nil },
            AssertionRow("a registration", "client_data_type") { $0.client["type"] = #""webauthn.create""# },
            AssertionRow("no type", "client_data_type") { $0.client["type"] = nil },
            AssertionRow("a page in a frame of another site", "cross_origin") { $0.client["crossOrigin"] = "true" },
            AssertionRow("a page in a frame, told by its top", "top_origin") {
                $0.client["topOrigin"] = #""https://evil.example""#
            },
        ]

    private typealias Flag = AuthenticatorDraft.Flag

    private static let authenticator = [
        AssertionRow("another domain", "relying_party_id") { $0.data.relyingPartyIDHash = SHA256.hash("evil.example") },
        AssertionRow("a subdomain", "relying_party_id") { $0.data.relyingPartyIDHash = SHA256.hash("a.localhost") },
        AssertionRow("no touch", "user_not_present") { $0.data.flags &= ~Flag.present },
        AssertionRow("no check of the user", "user_not_verified") { $0.data.flags &= ~Flag.verified },
        AssertionRow("backed up and not to be", "backed_up_without_eligibility") { $0.data.flags &= ~Flag.eligible },
        AssertionRow("another kind of passkey than was added", "backup_eligibility_changed") {
            $0.data.flags &= ~(Flag.eligible | Flag.backedUp)
        },
        AssertionRow("a new key in an assertion", "attested_data_length") { $0.data.flags |= Flag.attested },
        AssertionRow("bytes after the data", "authenticator_data_left_over") { $0.data.tail = [0] },
        AssertionRow("extensions that are not there", "cbor_truncated") { $0.data.flags |= Flag.extensions },
    ]

    private static let credential = [
        AssertionRow("an id that nobody has", "credential_unknown") { $0.id = try RandomBytes.generate(32) },
        AssertionRow("no user handle", "user_handle_missing") { $0.userHandle = nil },
        AssertionRow("the handle of another account", "user_handle_mismatch") {
            $0.userHandle = try RandomBytes.generate(32)
        },
        AssertionRow("an empty handle", "user_handle_encoding") { $0.userHandle = [] },
        AssertionRow("another key", "signature") { $0.key = try PrivateKey(new: .es256) },
        AssertionRow("a key of another kind", "signature") { $0.key = try PrivateKey(new: .eddsa) },
    ]
}

/// An answer at the page that adds a passkey, and adds none.
struct RegistrationRow: Sendable, CustomStringConvertible {
    let description: String
    let reason: String
    let change: @Sendable (inout RegistrationDraft) throws -> Void

    init(
        _ description: String, _ reason: String, _ change: @escaping @Sendable (inout RegistrationDraft) throws -> Void
    ) {
        (self.description, self.reason, self.change) = (description, reason, change)
    }

    private typealias Flag = AuthenticatorDraft.Flag

    static let all = [
        RegistrationRow("another origin", "origin_mismatch") { $0.client["origin"] = #""http://evil.example""# },
        RegistrationRow("another challenge", "challenge_mismatch") {
            $0.client["challenge"] = DraftObject.encoded(try RandomBytes.generate(32))
        },
        RegistrationRow("an assertion", "client_data_type") { $0.client["type"] = #""webauthn.get""# },
        RegistrationRow("a page in a frame of another site", "cross_origin") { $0.client["crossOrigin"] = "true" },
        RegistrationRow("another domain", "relying_party_id") {
            $0.data.relyingPartyIDHash = SHA256.hash("evil.example")
        },
        RegistrationRow("no touch", "user_not_present") { $0.data.flags &= ~Flag.present },
        RegistrationRow("no check of the user", "user_not_verified") { $0.data.flags &= ~Flag.verified },
        RegistrationRow("backed up and not to be", "backed_up_without_eligibility") {
            $0.data.flags &= ~Flag.eligible
        },
        RegistrationRow("a format that nobody knows", "attestation_format_unknown") { $0.format = .text("evil") },
        RegistrationRow("no format", "attestation_format_missing") { $0.format = nil },
        RegistrationRow("no statement", "attestation_statement_missing") { $0.statement = nil },
        RegistrationRow("a statement where none should be", "none_statement") {
            $0.statement = .item(.map([(.text("x"), .integer(1))]))
        },
        RegistrationRow("an attestation object that is no CBOR", "cbor_truncated") { $0.object = [0xa3] },
        RegistrationRow("10,000 nested maps", "cbor_too_deep") {
            $0.object = (1...10_000).flatMap { _ in [0xa1, 0x01] as [UInt8] } + [0]
        },
        RegistrationRow("bytes after the key", "authenticator_data_left_over") { $0.data.tail = [0] },
    ]
}
