package import Logging
package import SSOShared
package import SSOWeb
import Synchronization

/// Where the providers come from, and how they are read again while the program runs.
package struct ProviderSource: Sendable {
    /// What one reading of the file gave.
    struct Reading: Sendable {
        let providers: [Provider]
        var problems: [String] = []
        var warnings: [String] = []
    }

    /// The providers at the start.
    package let providers: [Provider]
    /// Reads the file again; nil without a file.
    let read: (@Sendable () -> Reading)?

    /// Without a providers file.
    package static let none = ProviderSource(providers: [], read: nil)

    /// Reads the providers at the start. Problems and warnings are in `reader`, which also has one line per provider.
    ///
    /// - Parameters:
    ///   - keys: the program's own keys, which no provider may know.
    package static func read(
        _ reader: SettingsReader, publicURL: PublicOrigin?, listen: ListenAddress?, keys: DerivedKeys?
    ) -> ProviderSource {
        guard let path = reader.text(ProvidersFile.setting.name) else { return .none }
        let providers = providers(at: path, reader, keys: keys)
        if let publicURL {
            for provider in providers { reader.record("provider \(provider.id)", provider.summary(at: publicURL)) }
        }
        return ProviderSource(providers: providers) { [source = reader.source] in
            let again = SettingsReader(source)
            let providers = Self.providers(at: path, again, keys: keys)
            again.reportExampleSecrets(publicURL: publicURL, listen: listen)
            return Reading(providers: providers, problems: again.problems, warnings: again.warnings)
        }
    }

    private static func providers(at path: String, _ reader: SettingsReader, keys: DerivedKeys?) -> [Provider] {
        ProvidersFile(
            path: path, environment: reader.variable, problem: reader.problem, warn: reader.warn,
            checkSecret: { text, name in
                reader.checkForExampleSecret(text, setting: name)
                // The provider knows it.
                reader.requireDifferent(
                    keys, "IDP_SECRET_KEY", from: try? SharedSecret.parse(text, setting: name), name)
            }
        ).read()
    }
}

/// The providers that users may sign in with at the moment. ``reload()`` takes effect only if the whole file is right.
/// Otherwise the old list stays.
package final class ProviderRegistry: Sendable {
    private let source: ProviderSource
    private let logger: Logger
    private let current: Mutex<[Provider]>

    package init(_ source: ProviderSource, logger: Logger) {
        (self.source, self.logger) = (source, logger)
        current = Mutex(source.providers)
    }

    /// In the order of the file.
    package var all: [Provider] { current.withLock(\.self) }

    /// The provider with exactly this id.
    package func provider(id: String) -> Provider? { all.first { $0.id.utf8.elementsEqual(id.utf8) } }

    /// The provider with exactly this issuer.
    package func provider(issuer: String) -> Provider? { all.first { $0.issuer.utf8.elementsEqual(issuer.utf8) } }

    /// Whether the provider with this issuer has this id. The settings may change while an identity waits to be linked, and
    /// its id may then stand for another provider.
    package func has(id: String, issuer: String) -> Bool {
        provider(issuer: issuer)?.id.utf8.elementsEqual(id.utf8) == true
    }

    /// What users call the provider of an issuer: its name, or the host of the issuer when it is not in the file any more.
    package func name(ofIssuer issuer: String) -> String {
        provider(issuer: issuer)?.name ?? (try? WebURL(issuer))?.authority.host ?? issuer
    }

    /// Reads `IDP_PROVIDERS_FILE` again. Does nothing without one.
    package func reload() {
        guard let read = source.read else { return }
        let reading = read()
        for warning in reading.warnings {
            logger.record(Event(.providersFileWarning, ["warning": "\(warning)"]))
        }
        for problem in reading.problems {
            logger.record(Event(.providersFileRejected, ["error": "\(problem)"]))
        }
        guard reading.problems.isEmpty else { return }
        current.withLock { $0 = reading.providers }
        logger.record(Event(.providersFileLoaded, ["count": .number(reading.providers.count)]))
    }
}

extension Provider {
    /// What operators compare with the provider's own pages. The secret appears as its fingerprint only.
    func summary(at origin: PublicOrigin) -> String {
        let proof =
            switch credential {
            case .none: "public client"
            case .secret(let secret):
                "fingerprint \(secret.fingerprint)" + (authMethod.map { ", \($0.rawValue)" } ?? "")
            case .apple(let key): "team \(key.teamID), key \(key.keyID)"
            }
        let owned = ownedDomains.isEmpty ? "" : ", owns addresses at \(ownedDomains.joined(separator: " "))"
        return
            "\"\(name)\", \(kind.rawValue), issuer \(issuer), client id \(clientID), \(proof)\(owned), callback \(callback(at: origin))"
    }
}

extension ProviderSecret {
    /// The same as ``SharedSecret/fingerprint``, for a secret of any length.
    var fingerprint: String {
        Hex.encode(HMACSHA256.code(for: Array("sso-fingerprint-v1".utf8), key: Array(text.utf8)).prefix(4))
    }
}
