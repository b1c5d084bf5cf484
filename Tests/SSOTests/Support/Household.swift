import SSOShared

/// A partner service as a visitor and its own back channel know it.
protocol PartnerPlace: Sendable {
    var id: String { get }
    var name: String { get }
    var secret: String { get }
    var origin: String { get }
}

extension PartnerPlace {
    var callback: String { "\(origin)/auth/sso/callback" }
}

extension Partner: PartnerPlace {}

/// An IdP with its partners, whether in processes of their own or in this one.
protocol Household: Sendable {
    associatedtype Place: PartnerPlace
    /// The IdP's public address.
    var origin: String { get }
    var letters: Letters { get }
    var partners: [Place] { get }
}

extension Household {
    var partner: Place { partners[0] }

    /// The authorize address as a partner would build it.
    func authorize(_ partner: some PartnerPlace, state: String) -> String {
        let query = [("client_id", partner.id), ("redirect_uri", partner.callback), ("state", state)]
        return "\(origin)/auth/sso/authorize?\(FormCoding.encode(query))"
    }

    /// The headers of a signed request.
    func signed(_ body: [UInt8], by partner: some PartnerPlace) throws -> HTTPProbe.Headers {
        let secret = try SharedSecret.parse(partner.secret, setting: "secret")
        return [
            ("Content-Type", "application/json"), (RequestSignature.clientHeaderName, partner.id),
            (RequestSignature.headerName, RequestSignature.request(body: body, secret: secret).headerValue),
        ]
    }
}

extension ProgramPair: Household {}
