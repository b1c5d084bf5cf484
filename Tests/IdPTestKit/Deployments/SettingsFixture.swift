import SSOWeb

@testable import Counterparts
@testable import IdPMail
@testable import IdPServer
@testable import RelyingParty
@testable import TestKit

/// Valid settings of both programs, and the result with some of them changed.
enum SettingsFixture {
    static let secret = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    static let otherSecret = "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"

    static let idp = [
        "IDP_SECRET_KEY": secret, "IDP_MAIL_URL": "outbox:var/outbox",
        "IDP_MAIL_FROM": "Main App <sign-in@main.example>", "IDP_ALLOWED_EMAILS": "*@example.com",
        "SSO_CLIENT_ID": "partner", "SSO_REDIRECT_URIS": "https://partner.example/auth/sso/callback",
        "SSO_SHARED_SECRET": otherSecret,
    ]
    static let client = ["RP_SECRET_KEY": secret, "SSO_CLIENT_ID": "partner", "SSO_SHARED_SECRET": otherSecret]

    enum Program: String, Sendable, CaseIterable { case idp, client }

    /// - Parameter changes: an empty value removes a setting.
    /// - Returns: the reader after the program has read all its settings.
    static func read(_ program: Program, _ changes: [String: String] = [:]) -> SettingsReader {
        let base = program == .idp ? idp : client
        let reader = SettingsReader(SettingsSource(base.merging(changes) { $1 }))
        switch program {
        case .idp: _ = IdPSettings.read(reader)
        case .client: _ = RelyingPartySettings.read(reader)
        }
        return reader
    }
}

extension TestDeployment {
    /// Whether emails are sent with these settings.
    static func sends(_ settings: SettingValues) throws -> Bool { try settings[IdPSettings.mail].isOn }

    /// What takes the emails of another process with these settings.
    func outbox(_ settings: SettingValues) throws -> OutboxMailer? {
        try Self.sends(settings) ? OutboxMailer(folder: mailbox.folder) : nil
    }
}
