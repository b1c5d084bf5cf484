package import IdPDirectory
package import IdPProviders
import SSOShared
import SSOWeb
import Storage

/// How a user can sign in, for the home page.
struct IdentityList: Sendable {
    struct Item: Sendable {
        /// What users call the provider; the word for email.
        let provider: String
        let address: String
        /// Names the identity in the form.
        let identity: String
        let since, used: Moment
        let hasAddress, hasUsed, isPrivate, isEmailDisabled, canRemove: Bool
    }

    /// A provider that can be added.
    struct Offer: Sendable { let id, provider: String }

    let items: [Item]
    let offers: [Offer]
    /// The issuers of the items.
    fileprivate let issuers: [String]
}

/// Reads the identities of an account, with the names of their providers.
package struct Identities: Sendable {
    let accounts: AccountStore
    let providers: ProviderRegistry

    package init(accounts: AccountStore, providers: ProviderRegistry) {
        (self.accounts, self.providers) = (accounts, providers)
    }

    /// - Parameter isNativeShell: whether the page is in the web view of an app. There nothing can be added: a provider is
    ///   shown in the system browser only (RFC 8252 8.12).
    func list(of account: Account, _ texts: Texts, isNativeShell: Bool) async throws -> IdentityList {
        let identities = try await accounts.database.read { try accounts.identities(of: account.id, $0) }
        let items = identities.map { identity in
            IdentityList.Item(
                provider: name(of: identity) ?? texts.plain(Text("identities.email")), address: identity.email ?? "",
                identity: identity.name, since: texts.moment(identity.addedAt),
                used: texts.moment(identity.usedAt ?? identity.addedAt), hasAddress: identity.email != nil,
                hasUsed: identity.usedAt != nil, isPrivate: identity.isPrivateEmail,
                isEmailDisabled: identity.isEmailDisabled,
                canRemove: identity.issuer != nil && identities.count > 1)
        }
        let issuers = identities.compactMap(\.issuer)
        let offers = isNativeShell ? [] : providers.all.filter { !issuers.holds($0.issuer) }
        return IdentityList(
            items: items, offers: offers.map { .init(id: $0.id, provider: $0.name) }, issuers: issuers)
    }

    /// What users call the provider of an identity. Nil for an identity without a provider.
    func name(of identity: AccountIdentity) -> String? { identity.issuer.map(providers.name(ofIssuer:)) }

    /// The provider that a change has added or removed, as users call it. Nil when the list does not show that change: the
    /// address of the page may come from another site.
    func changed(_ id: String?, isAdded: Bool, in list: IdentityList) -> String? {
        guard let provider = id.flatMap({ providers.provider(id: $0) }) else { return nil }
        return list.issuers.holds(provider.issuer) == isAdded ? provider.name : nil
    }
}

extension [String] {
    /// Whether a text is among these, byte for byte.
    fileprivate func holds(_ text: String) -> Bool { contains { $0.utf8.elementsEqual(text.utf8) } }
}

extension AccountIdentity {
    /// The issuer of an identity at a provider; nil for other kinds.
    var issuer: String? {
        if case .external(let issuer, _) = kind { issuer } else { nil }
    }
}
