import HTTPTypes
import Hummingbird
import IdPAccounts
package import IdPFlow
import NIOCore
import SSOShared
package import SSOWeb

/// WebFinger (RFC 7033) with the one relation of OpenID Connect Discovery 2: which provider signs in the user of an address. It is
/// off by default (`IDP_WEBFINGER`).
///
/// Clients ask the host of the address, so its proxy passes `/.well-known/webfinger` on to here. The answer is the same for every
/// address of a domain, whether there is an account or not.
package struct WebFingerFeature: Feature {
    package static let isOn = Setting(
        "IDP_WEBFINGER", default: false, example: "true",
        "Whether /.well-known/webfinger names this provider for the domains of IDP_ALLOWED_EMAILS. Their web servers must pass that path on."
    )
    package static let settings: [any ReadableSetting] = [isOn]
    package static let path = "/.well-known/webfinger"
    static let relation = "http://openid.net/specs/connect/1.0/issuer"

    private let issuer: String
    private let isOn: Bool
    /// The domains that are answered for, also those of single addresses.
    private let domains: Set<[UInt8]>

    package init(_ values: SettingValues) throws(SettingError) {
        issuer = try values[FlowSettings.publicURL].text
        isOn = try values[Self.isOn]
        domains = try values[AllowedEmails.setting].namedDomains
    }

    package func addRoutes(
        to router: inout FeatureRouter, _ completion: SignInCompletion, _ methods: [any SignInMethod]
    ) {
        guard isOn else { return }
        router.openFile(at: Self.path) { [issuer, domains] request, _ in
            guard let resource = Self.resource(request.queryFields, in: domains) else {
                return Self.response(.notFound, "application/json", [.init("error", "not_found")])
            }
            let link: [JSONText.Member] = [.init("rel", Self.relation), .init("href", issuer)]
            return Self.response(
                .ok, "application/jrd+json", [.init("subject", resource), .init("links", [link])])
        }
    }

    /// The resource that is asked about, as it is written; nil for all that has no answer.
    ///
    /// - Parameter fields: one `resource` and any number of `rel`, of which one is the relation (RFC 7033 4.1, 4.3).
    static func resource(_ fields: URLEncodedFields, in domains: Set<[UInt8]>) -> String? {
        guard fields.texts("rel").contains(relation), let resource = (try? fields.text("resource")) ?? nil,
            resource.prefix(5).lowercased() == "acct:", resource.utf8.count(where: { $0 == UInt8(ascii: "@") }) == 1,
            // RFC 7565 7: the part before the @ may be percent-encoded.
            let decoded = PercentCoding.decode(resource.utf8.dropFirst(5)),
            let text = String(validating: decoded, as: UTF8.self),
            text.unicodeScalars.allSatisfy({ $0.value > 0x20 && !$0.properties.isWhitespace }),
            let address = try? Entered.address(text),
            domains.contains(address.domain)
        else { return nil }
        return resource
    }

    private static func response(
        _ status: HTTPResponse.Status, _ type: String, _ members: [JSONText.Member]
    ) -> Response {
        Response(
            status: status,
            headers: [
                .contentType: type, .cacheControl: status == .ok ? "public, max-age=300" : "no-store",
            ], body: .init(byteBuffer: ByteBuffer(bytes: JSONText.bytes(members))))
    }
}

extension EmailAddress {
    /// The bytes after the @.
    fileprivate var domain: [UInt8] { Array(text.utf8.drop { $0 != UInt8(ascii: "@") }.dropFirst()) }
}
