import HTTPTypes
import IdPSigningKeys
import JWT
import SSOShared
import SSOWeb
import Synchronization

/// Who a request is of, as the service is told.
struct GateIdentity: Sendable, Equatable {
    let client: String
    /// The username; `key:NAME` for a key that belongs to no user.
    let user: String
    let email, name: String
    /// The user's groups that the client is told.
    let groups: [String]
    /// Of the account; empty for a key that belongs to no user.
    let id: String
    /// The session as the client was told it first, or the id of the key.
    let session: String

    /// The fields of the answer. All are there, also empty ones: a proxy could pass on what the client sent in place of one that is
    /// missing.
    func fields(token: String) -> HTTPFields {
        [
            .remoteUser: Self.coded(user), .remoteEmail: Self.coded(email), .remoteName: Self.coded(name),
            .remoteGroups: groups.map(Self.coded).joined(separator: ","), .remoteID: Self.coded(id), .identity: token,
            .cacheControl: "no-store",
        ]
    }

    /// Printable ASCII stays as it is, but for what separates groups and what begins an escape.
    static func coded(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20...0x7e).contains($0) && $0 != 0x2c && $0 != 0x25 }
        if isPlain { return text }
        var coded: [UInt8] = []
        for byte in text.utf8 {
            if (0x20...0x7e).contains(byte), byte != UInt8(ascii: ","), byte != UInt8(ascii: "%") {
                coded.append(byte)
            } else {
                coded += PercentCoding.escape(byte)
            }
        }
        return String(decoding: coded, as: UTF8.self)
    }
}

/// Signs identities for services (RFC 7519): once for each session or key and minute, because a page is dozens of requests.
final class GateTokens: Sendable {
    static let type = "sso-gate+jwt"
    static let lifetime: Duration = .minutes(5)
    /// Tokens that are kept. When there are more, all are signed again.
    private static let maximumKept = 10_000

    private struct Kept {
        let identity: GateIdentity
        let key: String
        let minute: Int
        let fields: HTTPFields
    }

    private let issuer: String
    private let keys: SigningKeys
    private let kept = Mutex<[String: Kept]>([:])

    init(issuer: String, keys: SigningKeys) { (self.issuer, self.keys) = (issuer, keys) }

    /// The fields of an answer, with the token.
    ///
    /// - Parameter key: the one that signs now, as it was read with the identity.
    func fields(_ identity: GateIdentity, _ key: SigningKey, at now: Timestamp) throws -> HTTPFields {
        let (place, minute) = ("\(identity.client) \(identity.session)", now.seconds / 60)
        let known = kept.withLock { $0[place] }
        if let known, known.minute == minute, known.key == key.id, known.identity == identity {
            return known.fields
        }
        let fields = identity.fields(token: try keys.sign(claims(identity, at: now), type: Self.type, with: key))
        kept.withLock {
            if $0.count >= Self.maximumKept { $0 = [:] }
            $0[place] = Kept(identity: identity, key: key.id, minute: minute, fields: fields)
        }
        return fields
    }

    private func claims(_ identity: GateIdentity, at now: Timestamp) -> [JSONText.Member] {
        [
            .init("iss", issuer), .init("aud", identity.client),
            .init("sub", identity.id.isEmpty ? identity.user : identity.id), .init("email", identity.email),
            .init("name", identity.name), .init("preferred_username", identity.user), .init("groups", identity.groups),
            .init("sid", identity.session), .init("iat", now.seconds), .init("exp", (now + Self.lifetime).seconds),
        ]
    }
}
