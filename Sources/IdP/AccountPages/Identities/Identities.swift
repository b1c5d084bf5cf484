import Hummingbird
package import IdPAccounts
package import IdPProviders
import SSOShared
import SSOWeb
package import Storage

/// The part of the home page that lists how the user can sign in.
struct IdentitySection: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        /// What users call the provider; the word for email.
        let provider: String
        let address: String
        /// The path of the provider's logo; empty without one.
        let logo: String
        /// Names the identity in the form.
        let identity: String
        /// When it was used last; nil for one that was only added, ``since``.
        let used, since: Moment?
        let hasLogo, hasAddress, isPrivate, isEmailDisabled, canRemove: Bool
    }

    /// A provider that can be added.
    struct Offer: Encodable, Sendable {
        let id, provider, logo: String
        let hasLogo: Bool
    }

    /// What the user has just added or removed.
    struct Change: Encodable, Sendable {
        let provider: String
        let isAdded: Bool
    }

    /// The way to the page of passkeys.
    struct Passkeys: Encodable, Sendable {
        /// How many there are, in words.
        let words: String
        /// What the script of the page tells the browser of them.
        let accepted: String
        let hasSignal: Bool
    }

    let items: [Item]
    /// Nil where there are none in this service.
    let passkeys: Passkeys?
    let offers: [Offer]
    let hasOffers: Bool
    let change: Change?
}

/// Reads the identities of an account, with the names of their providers.
package struct Identities: Sendable {
    /// What a page tells browsers of the passkeys of an account, as JSON; empty for an account that never asked for one.
    package typealias PasskeySignal = @Sendable (Account, any SQLConnection) throws -> String

    let accounts: AccountStore
    let providers: ProviderRegistry
    /// Nil where browsers make no passkeys.
    let passkeys: PasskeySignal?
    /// The path of a brand's logo; empty for none.
    let brandLogo: @Sendable (Provider.Kind) -> String

    package init(
        accounts: AccountStore, providers: ProviderRegistry, passkeys: PasskeySignal? = nil,
        brandLogo: @escaping @Sendable (Provider.Kind) -> String = { _ in "" }
    ) {
        (self.accounts, self.providers, self.brandLogo) = (accounts, providers, brandLogo)
        self.passkeys = passkeys
    }

    /// In the web view of an app nothing can be added: a provider is shown in the system browser only (RFC 8252 8.12).
    func section(
        of account: Account, for request: Request, _ texts: Texts, _ connection: any SQLConnection
    ) throws -> IdentitySection {
        let identities = try AccountStore.identities(of: account.id, connection)
        let now = accounts.clock.now()
        let count = identities.count { $0.kind == .passkey }
        let items = identities.filter { $0.kind != .passkey }.map { identity in
            let logo = identity.issuer.flatMap(providers.provider(issuer:)).map(logo) ?? ""
            return IdentitySection.Item(
                provider: name(of: identity) ?? texts.plain(Text("identities.email")), address: identity.email ?? "",
                logo: logo, identity: identity.name, used: identity.usedAt.map { texts.moment($0, now: now) },
                since: identity.usedAt == nil ? texts.moment(identity.addedAt, now: now) : nil,
                hasLogo: !logo.isEmpty, hasAddress: identity.email != nil, isPrivate: identity.isPrivateEmail,
                isEmailDisabled: identity.isEmailDisabled,
                canRemove: identity.issuer != nil && identities.count > 1)
        }
        let issuers = identities.compactMap(\.issuer)
        let offers = request.isFromNativeShell ? [] : providers.all.filter { !issuers.holds($0.issuer) }
        return IdentitySection(
            items: items,
            passkeys: try passkeys.map { signal in
                let accepted = try signal(account, connection)
                return .init(
                    words: texts.plain(
                        count == 0 ? Text("identities.no-passkey") : Text("identities.passkeys", count: count)),
                    accepted: accepted, hasSignal: !accepted.isEmpty)
            },
            offers: offers.map { offer in
                let logo = logo(offer)
                return .init(id: offer.id, provider: offer.name, logo: logo, hasLogo: !logo.isEmpty)
            }, hasOffers: !offers.isEmpty,
            change: change(in: request, issuers: issuers))
    }

    private func logo(_ provider: Provider) -> String { provider.logoPath ?? brandLogo(provider.kind) }

    /// What users call the provider of an identity. Nil for an identity without a provider.
    func name(of identity: AccountIdentity) -> String? { identity.issuer.map(providers.name(ofIssuer:)) }

    /// The identity of a user that a form names (``AccountIdentity/name``).
    func identity(
        _ name: String, of user: SignedInUser, _ connection: any SQLConnection
    ) throws -> AccountIdentity? {
        try AccountStore.identities(of: user.account.id, connection).first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// The change that the address of the page names. Nil when the list does not show it: that address may come from
    /// another site.
    ///
    /// - Parameter issuers: of the identities in the list.
    private func change(in request: Request, issuers: [String]) -> IdentitySection.Change? {
        func name(_ field: String, isListed: Bool) -> String? {
            guard let id = try? request.queryFields.text(field), let provider = providers.provider(id: id),
                issuers.holds(provider.issuer) == isListed
            else { return nil }
            return provider.name
        }
        if let added = name("added", isListed: true) { return .init(provider: added, isAdded: true) }
        return name("removed", isListed: false).map { .init(provider: $0, isAdded: false) }
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
