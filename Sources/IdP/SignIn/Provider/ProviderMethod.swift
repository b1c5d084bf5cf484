import Hummingbird
import SSOShared
import SSOWeb

/// The sign-in method "an account elsewhere": one button for each provider of `IDP_PROVIDERS_FILE`.
struct ProviderMethod: SignInMethod {
    /// The providers have names of their own: ``Provider/method``.
    let id = "provider"

    let providers: ProviderRegistry
    let start: ProviderStart
    let callback: ProviderCallback
    let knownAddress: KnownAddressRoutes
    /// Whether an app can come back from the system browser.
    let hasApps: Bool

    func addRoutes(to router: Router<VisitorContext>) {
        start.addRoutes(to: router)
        callback.addRoutes(to: router)
        knownAddress.addRoutes(to: router)
    }

    func options(for attempt: SignInAttempt) -> [SignInOption] {
        // An app opens these links in the system browser.
        if attempt.isNativeShell {
            return hasApps
                ? providers.all.map {
                    .link(label: Text("sign-in.provider", ["name": $0.name]), path: NativeStart.prefix + $0.id)
                } : []
        }
        return providers.all.map {
            .provider(ProviderButton(id: $0.id, name: $0.name, kind: $0.kind, path: ProviderStart.path($0)))
        }
    }

    func nativeStart(_ name: String) -> NativeStart? {
        guard let provider = providers.provider(id: name) else { return nil }
        return NativeStart(name: name) { [start] flow, session, _, context in
            try await start.begin(provider, .signIn(flow), session, context)
        }
    }
}
