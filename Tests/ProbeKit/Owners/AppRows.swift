package import SSOWeb
import Storage

package enum AccessTokenTable: StoredTable { package static let name = "access_token" }
package enum HandoffTable: StoredTable { package static let name = "handoff" }
package enum AppLinkTable: StoredTable { package static let name = "app_link" }
package enum AppKeyTable: StoredTable { package static let name = "app_key" }

extension StoredRows {
    /// The access tokens of apps.
    package var accessTokens: TableRows<AccessTokenTable> { rows() }
    package var handoffs: TableRows<HandoffTable> { rows() }
    /// One for each app that links a provider.
    package var appLinks: TableRows<AppLinkTable> { rows() }
    package var appKeys: TableRows<AppKeyTable> { rows() }
}

extension TableRows where Table == AccessTokenTable {
    package func device(from start: String) -> Self { with("device LIKE \(quoted(start + "%"))") }
    package func set(strength: String) async throws { try await set("strength = \(quoted(strength))") }

    /// When the only one was used last; nil without one.
    package func lastUsed() async throws -> Timestamp? {
        try await number("used_at").map { Timestamp(milliseconds: Int64($0)) }
    }
    package func all() async throws -> [(digest: [UInt8], device: String, methods: String)] {
        try await rows("digest, device, methods").map {
            (try $0.blob("digest"), try $0.text("device"), try $0.text("methods"))
        }
    }
}

extension TableRows where Table == HandoffTable {
    package var withCode: Self { with("code_digest IS NOT NULL") }
    /// - Parameter digits: the hash of the code in hexadecimal digits.
    package func code(digest digits: String) -> Self { with("hex(code_digest) = \(quoted(digits))") }

    package func ids() async throws -> [String] { try await texts("id") }
    package func setReturnAddress(_ address: String) async throws { try await set("redirect_uri = \(quoted(address))") }
}

extension TableRows where Table == AppLinkTable {
    /// - Parameter digits: the hash of the ticket in hexadecimal digits.
    package func ticket(digest digits: String) -> Self { with("hex(ticket_digest) = \(quoted(digits))") }
    package var withIdentity: Self { with("identity IS NOT NULL") }
}

extension TableRows where Table == AppKeyTable {
    package func named(_ name: String) -> Self { with("name = \(quoted(name))") }
}

package enum ProviderAttemptTable: StoredTable { package static let name = "provider_attempt" }

extension StoredRows {
    /// Sign-ins with providers that have begun.
    package var providerAttempts: TableRows<ProviderAttemptTable> { rows() }
}

extension TableRows where Table == ProviderAttemptTable {
    package func id(_ id: String) -> Self { with("id = \(quoted(id))") }

    /// Purpose, flow and account of each.
    package func purposes() async throws -> [[String?]] {
        try await rows("purpose, flow, account_id").map {
            [try $0.text("purpose"), try $0.optionalText("flow"), try $0.optionalText("account_id")]
        }
    }
    /// The bytes of all answers that are kept.
    package func answerBytes() async throws -> Int { try await number("COALESCE(SUM(LENGTH(answer)), 0)") ?? 0 }
    package func setUnused() async throws { try await set("used_at = NULL") }
}
