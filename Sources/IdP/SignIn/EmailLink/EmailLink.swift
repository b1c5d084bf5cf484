import Hummingbird
import IdPFlow
package import SSOShared
package import SSOWeb

/// The link in the email that signs in, `/sign-in/link/KEY`: how it is made and read.
///
/// KEY is the ``ChallengeKey`` of the challenge in base64url. Nothing of it is stored.
package struct EmailLink: Sendable {
    package static let path = SignInPath.link
    /// The characters of a key in base64url.
    private static let keyLength = (ChallengeKey.byteCount * 4 + 2) / 3
    /// What mail programs append at most.
    private static let longestLeftover = 8

    private let keys: ChallengeKey
    private let origin: PublicOrigin

    /// - Parameter origin: the IdP's public address. The link never names the host of a request.
    package init(keys: DerivedKeys, origin: PublicOrigin) {
        self.keys = ChallengeKey(keys: keys, label: "email-link")
        self.origin = origin
    }

    /// The whole address of the link for the email of a challenge; nil for a challenge that was not made here.
    package func url(for challenge: Challenge) -> String? {
        let key = keys.bytes(for: challenge.id)
        return key.isEmpty ? nil : "\(origin.text)\(Self.path)/\(Base64URL.encode(key))"
    }

    /// A key that was made here, as it is written in the link.
    package struct Key: Sendable {
        let text: String
        /// The challenge may have ended long ago.
        let challengeID: String
    }

    /// Reads the key at the start of a text, such as the end of a path or a cookie; nil for a key that was not made here.
    ///
    /// Mail programs sometimes take the punctuation after a link for a part of it. It is ignored.
    package func read(_ text: some StringProtocol) -> Key? {
        let rest = text.utf8.dropFirst(Self.keyLength)
        guard rest.count <= Self.longestLeftover, !rest.contains(where: { $0.isASCIILetter || $0.isASCIIDigit }) else {
            return nil
        }
        let key = String(decoding: text.utf8.prefix(Self.keyLength), as: UTF8.self)
        guard let bytes = Base64URL.decode(key), let id = keys.challengeID(of: bytes) else { return nil }
        return Key(text: key, challengeID: id)
    }
}

/// The cookie that holds the key of a link on its way from the URL to the page.
package struct EmailLinkCookie: Sendable {
    private let cookie: BrowserCookie
    private let link: EmailLink

    package init(link: EmailLink, origin: PublicOrigin) {
        self.link = link
        cookie = BrowserCookie(name: "idp_link", origin: origin, maximumAge: Challenge.lifetime)
    }

    /// What the browser holds.
    enum Content: Sendable {
        case key(EmailLink.Key)
        case damaged
        case none
    }

    func content(of request: Request) -> Content {
        guard let value = cookie.value(in: request) else { return .none }
        return link.read(value).map(Content.key) ?? .damaged
    }

    /// - Parameter key: as the URL has it, perhaps damaged.
    func taking(_ key: String) -> Response { cookie.taking(link.read(key)?.text, to: EmailLink.path) }

    func clear(in response: inout Response) { cookie.clear(in: &response) }
}
