package import IdPClients
import SSOShared
package import SSOWeb

/// The keys of a client's entry for the gate: a service without a login of its own, whose proxy asks about every request.
package struct GateSettings: ClientProtocolSettings {
    package static let id = "gate"
    package static let checksTokens = true
    package static let keys = [
        Key.origin.description, Key.appKeys.description, Key.appKeyField.description, Key.upstream.description,
    ]
    package static let needsRedirectURIs = false
    package static let needsTrustedProxies = true
    package static let takesRedirectURIs = false
    package static let addressKey = "gate_origin"
    package static let needsSecret = false

    /// Where users see the service: the only origin whose requests are answered.
    package let origin: PublicOrigin
    /// Whether users may make keys for its apps.
    package let takesAppKeys: Bool
    /// The field that apps may send a key in, beside `Authorization`.
    package let appKeyField: String?
    /// Where the proxy finds the service, for the recipe alone.
    package let upstream: String?
    /// The cookie of a session at the service.
    let sessionCookie: BrowserCookie
    /// The cookie that ties a sign-in to the browser that began it. It lasts longer than a sign-in at the provider.
    let stateCookie: BrowserCookie

    package init?(_ reader: ClientKeyReader) {
        // All are read before any is required, so that all problems are reported at once.
        let (text, takesKeys) = (reader.value(Key.origin), reader.value(Key.appKeys))
        let (field, upstream) = (reader.value(Key.appKeyField), reader.value(Key.upstream))
        guard let text, let takesKeys, let field, let upstream else { return nil }
        guard let text, let origin = try? PublicOrigin(text) else {
            reader.problem("gate_origin", "is missing. Use, for example, gate_origin: https://wiki.example.com")
            return nil
        }
        guard field == nil || takesKeys else {
            reader.problem("app_key_field", "has no effect without app_keys: true.")
            return nil
        }
        (self.origin, takesAppKeys, appKeyField, self.upstream) = (origin, takesKeys, field, upstream)
        sessionCookie = BrowserCookie(name: "sso_gate", origin: origin)
        stateCookie = BrowserCookie(name: "sso_gate_state", origin: origin, maximumAge: .minutes(10))
    }

    /// Where the browser goes with a grant.
    package var callback: String { address("callback") }

    /// An address below ``GatePath/ofService``.
    func address(_ name: String) -> String { origin.text + GatePath.ofService + name }
    /// Where a sign-in begins that leads back to an address.
    func start(to address: ReturnAddress) -> String { "\(self.address("start"))?to=\(address.encoded)" }

    /// Whether a request is of the same origin and has a key in the same place by both.
    func reads(like other: GateSettings) -> Bool {
        origin.text.utf8.elementsEqual(other.origin.text.utf8) && takesAppKeys == other.takesAppKeys
            && appKeyField == other.appKeyField
    }

    package func lines(
        for client: Client, secret: String?, issuer: String, program: String
    ) -> [(file: String?, text: String)] {
        guard let recipe = GateRecipe(client, program: program) else { return [] }
        return GateProxy.allCases.map { ($0.rawValue, recipe.text(for: $0)) }
    }

    package func mayReturn(to address: String, of client: Client) -> Bool {
        address.utf8.elementsEqual(callback.utf8)
    }

    package var returnAddresses: [String] { [callback] }
    package var startPage: String? { origin.text + "/" }
    package var shown: [(name: String, values: [String])] {
        [
            ("gate_origin", [origin.text]), ("app_keys", takesAppKeys ? ["true"] : []),
            ("app_key_field", appKeyField.map { [$0] } ?? []), ("upstream", upstream.map { [$0] } ?? []),
        ]
    }
}

extension GateSettings {
    private enum Key {
        static let origin = ClientKey.text(
            "gate_origin", example: "https://wiki.example.com",
            option: .init("Gate: where users see the service.", value: "origin"),
            "where users see the service; its proxy asks about every request", [.address]
        ) { text, _ in
            let origin = try PublicOrigin(text)
            guard origin.text.utf8.elementsEqual(text.utf8) else {
                throw SettingError("\"\(text)\" must be written as browsers do: \(origin.text)")
            }
        }
        static let appKeys = ClientKey.flag(
            "app_keys", default: false, option: .init("Gate: users may make keys for the service's apps."),
            "users may make keys for the service's apps, and any other `Authorization` has no effect")
        static let appKeyField = ClientKey.text(
            "app_key_field", example: "X-Api-Key",
            option: .init("Gate: a field that apps may send their key in.", value: "field"),
            "a field that apps may send their key in, beside `Authorization`"
        ) { text, _ in
            guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(Self.isOfFieldName),
                !Self.takenFields.contains(text.lowercased()), !ForgedIdentity.isIdentity(text)
            else {
                throw SettingError(
                    "\"\(text)\" must be the name of a field for keys alone: letters, digits and -, for example X-Api-Key."
                )
            }
        }
        static let upstream = ClientKey.text(
            "upstream", example: "http://127.0.0.1:3000",
            option: .init("Gate: where the proxy finds the service, for its recipe.", value: "url"),
            "where the proxy finds the service, for the recipe that `idp client show --proxy` prints"
        ) { text, _ in
            guard let url = try? WebURL(text, allowing: .looseNames), url.origin == text else {
                throw SettingError("\"\(text)\" must be scheme, host and port, for example http://127.0.0.1:3000.")
            }
        }

        private static func isOfFieldName(_ byte: UInt8) -> Bool {
            byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "-")
        }

        /// Fields that mean something to the check, or to every server.
        private static let takenFields: Set<String> = [
            "authorization", "cookie", "host", "connection", "content-length", "transfer-encoding", "upgrade", "accept",
            "origin", "referer", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "x-forwarded-method",
            "x-forwarded-uri", "x-original-url", "x-original-method", "sec-fetch-site", "sec-fetch-mode",
            "sec-fetch-dest", "content-type", "user-agent", "te", "expect", "range",
        ]
    }
}

extension Client {
    /// Nil for a client that is not behind the gate.
    package var gate: GateSettings? { self[GateSettings.self] }
}
