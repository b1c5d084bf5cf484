import Logging
package import SSOWeb

/// What happens with providers and their file.
extension EventKind {
    package static let providerKeysIgnored = EventKind(
        "provider_keys_ignored", .info, line: [.detail("provider")], "A provider's keys that cannot be used: `detail`.")
    package static let providerAuthMethodFound = EventKind(
        "provider_auth_method_found", .info, line: [.detail("provider")],
        by: [.field("method", Provider.AuthMethod.allCases.map(\.rawValue))],
        "A provider took `method` after it had refused another one.")
    package static let providerEmailIgnored = EventKind(
        "provider_email_ignored", .info, line: [.detail("provider"), .reason],
        causes: [
            .init("email_missing", "It is not in the ID token."),
            .init("email_not_verified", "The provider does not say that it is the user's: [setup](providers.md)."),
            .init("email_invalid", "It is not a plain ASCII address."),
            .init("email_not_trusted", "The providers file says `email: never`."),
        ], "The address that a provider gave does not count.")
    package static let providersFileWarning = EventKind(
        "providers_file_warning", .warning, .line, "`warning` is about `IDP_PROVIDERS_FILE`.")
    package static let providersFileRejected = EventKind(
        "providers_file_rejected", .error, .line,
        "A fault of a reloaded file: `error`. The old one holds. Correct it, send SIGHUP.")
    package static let providersFileLoaded = EventKind(
        "providers_file_loaded", .info, .line, "The providers file was read again; it has `count` providers.")
}

/// The events of this target.
package enum ProviderEvents {
    package static let all: [EventKind] = [
        .providerKeysIgnored, .providerAuthMethodFound, .providerEmailIgnored, .providersFileWarning,
        .providersFileRejected, .providersFileLoaded,
    ]
}
