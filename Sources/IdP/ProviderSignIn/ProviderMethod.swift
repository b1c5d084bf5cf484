import Hummingbird
import IdPFlow
import IdPProviders
import SSOShared
import SSOWeb

/// The sign-in method "an account elsewhere": one button for each provider of `IDP_PROVIDERS_FILE`.
package struct ProviderMethod: SignInMethod {
    /// The providers have names of their own: ``Provider/method``.
    let id = "provider"

    let providers: ProviderRegistry
    package let start: ProviderStart
    let callback: ProviderCallback
    let knownAddress: KnownAddressRoutes
    /// Whether an app can come back from the system browser.
    let hasApps: Bool

    func addRoutes(to router: inout FeatureRouter) {
        start.addRoutes(to: &router)
        callback.addRoutes(to: &router)
        knownAddress.addRoutes(to: &router)
    }

    func options(for attempt: SignInAttempt) -> [SignInOption] {
        let all = providers.all.filter { !attempt.needsNewSignIn || $0.saysWhenAuthenticated }
        let leftOut = attempt.needsNewSignIn ? providers.all.filter { !$0.saysWhenAuthenticated } : []
        // An app opens these links in the system browser.
        if attempt.isNativeShell {
            return hasApps
                ? all.map { .link(label: Self.label($0), path: NativeStart.prefix + $0.id) } : []
        }
        let hasTenants = all.count { $0.kind == .microsoft } > 1
        var options: [SignInOption] = all.map {
            .provider(
                ProviderButton(
                    id: $0.id, brand: $0.kind.rawValue, label: Self.label($0),
                    detail: $0.kind == .microsoft && hasTenants ? $0.name : nil, path: ProviderStart.path($0),
                    logo: $0.logoPath, logoSizeHTML: $0.logo?.sizeAttributes ?? ""))
        }
        if let cancelled = attempt.cancelled.flatMap(providers.provider(id:)) {
            options.append(.note(Text("sign-in.cancelled", ["provider": cancelled.name])))
        }
        guard !leftOut.isEmpty else { return options }
        let names = leftOut.map(\.name).joined(separator: ", ")
        return options + [
            .note(Text(leftOut.count == 1 ? "sign-in.not-fresh" : "sign-in.not-fresh-several", ["providers": names]))
        ]
    }

    /// With the words around it a longer name takes two lines on a phone.
    private static let longestName = 15

    /// The brands' rules fix the words, so the name in the file is not used for them (docs/providers.md).
    private static func label(_ provider: Provider) -> Text {
        switch provider.kind {
        case .apple: Text("provider.apple")
        case .google: Text("provider.google")
        case .microsoft: Text("provider.microsoft")
        case .github where provider.issuer == provider.kind.defaultIssuer: Text("provider.github")
        case .oidc where provider.label != nil: Text("provider.label", ["label": provider.label ?? ""])
        // An OpenID provider, or a GitHub Enterprise Server of its own.
        case .github, .oidc:
            provider.name.count > longestName
                ? Text("provider.label", ["label": provider.name]) : Text("provider.oidc", ["name": provider.name])
        }
    }

    func nativeStart(_ name: String) -> NativeStart? {
        guard let provider = providers.provider(id: name) else { return nil }
        return NativeStart(name: name) { [start] flow, session, _, context in
            try await start.begin(provider, .signIn(flow), session, context)
        }
    }
}
