import Foundation
import HTTPTypes
import Hummingbird
import IdPFlow
import IdPSignOut
import SSOShared
import SSOWeb

/// What a request shows to be let through: the key of an app, or the cookie of a browser.
enum GateCredential: Sendable {
    case none
    case session(GateSessionID)
    case key(Secret<AppKeyKind>)
    /// Something else in the place of a key, or more than one key.
    case unreadableKey(reason: String)

    /// Whether the database knows more of it.
    var isLookedUp: Bool {
        switch self {
        case .session, .key: true
        case .none, .unreadableKey: false
        }
    }

    init(_ request: Request, _ gate: GateSettings) {
        if gate.takesAppKeys {
            let shown = Self.keys(request, gate.appKeyField)
            guard shown.count <= 1 else {
                self = .unreadableKey(reason: "doubled")
                return
            }
            if let text = shown.first {
                self = Secret<AppKeyKind>(wire: text).map(Self.key) ?? .unreadableKey(reason: "malformed")
                return
            }
        }
        self =
            gate.sessionCookie.value(in: request).flatMap { GateSessionID(wire: String($0)) }.map(Self.session) ?? .none
    }

    /// Every text that stands where a key does. Any other `Authorization` has no effect: the recipes remove it.
    private static func keys(_ request: Request, _ field: String?) -> [String] {
        let named = field.flatMap { HTTPField.Name($0) }.map { request.headers[values: $0] } ?? []
        return named + request.headers[values: .authorization].compactMap(key)
    }

    private static func key(_ authorization: String) -> String? {
        (Credentials.of("bearer", in: authorization) ?? password(authorization))
            .flatMap { $0.hasPrefix(AppKeyKind.prefix) ? $0 : nil }
    }

    /// The user is whatever the app asks for. A password may have colons, a user has none (RFC 7617 2).
    private static func password(_ authorization: String) -> String? {
        guard let coded = Credentials.of("basic", in: authorization), coded.utf8.count <= 1024,
            let data = Data(base64Encoded: coded), let colon = data.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        return String(validating: data[(colon + 1)...], as: UTF8.self)
    }
}
