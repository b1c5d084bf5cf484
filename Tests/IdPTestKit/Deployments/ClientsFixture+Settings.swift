import SSOWeb

@testable import Counterparts
@testable import IdPServer
@testable import TestKit

extension ClientsFixture {
    /// Settings of an IdP that are valid except for `extra`.
    static func settings(_ extra: [String: String], in folder: TemporaryFolder) -> SettingsReader {
        let base = [
            "IDP_SECRET_KEY": TestSecret.new(), "IDP_MAIL_URL": "outbox:\(folder.path)",
            "IDP_MAIL_FROM": "Main App <sign-in@main.example>",
        ]
        let reader = SettingsReader(SettingsSource(base.merging(extra) { $1 }))
        _ = IdPSettings.read(reader)
        return reader
    }
}
