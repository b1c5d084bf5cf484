import Foundation
import HTTPTypes
import Hummingbird
import IdPAuthorization
import IdPClients
import IdPFlow
import Logging
import SSOShared
import SSOWeb

/// Finds the client that a program's request comes from: by HTTP Basic, by a form field, or by its id alone if it is public
/// (RFC 6749 2.3.1, 3.2.1).
struct ClientAuthentication: Sendable {
    let clients: ClientDirectory
    let networks: SignerNetworks

    /// A client that has proven itself.
    struct Proven: Sendable {
        let client: Client
        let settings: OIDCSettings
        /// The secret that it used; nil for a public client.
        let use: SecretName?
        /// Where the request comes from.
        var address = IPAddress.unknown
        /// What the answer to a client challenges whose proof does not hold any more (RFC 6749 5.2).
        var challenge: String?

        /// Whether the client, as it is registered now, is still the one that has proven itself.
        @Sendable func isStill(_ client: Client) -> Bool {
            guard let settings = client.oidc else { return false }
            return use.map { client.fingerprints.contains($0.fingerprint) } ?? settings.isPublic
        }

        /// The level of an event that means an attack. Every user of a public client can cause it at will by their own code, so
        /// there it is no alarm.
        func level(ofAlarm level: Logger.Level) -> Logger.Level { use == nil ? .info : level }
    }

    /// What a request says of its client. HTTP Basic can be read in two ways: as forms are written, which is right, and as it
    /// is, which many programs do.
    private struct Claim {
        /// Id and secret of each reading. The secret is nil without one.
        let readings: [(id: String, secret: [UInt8]?)]
        let isBasic: Bool

        var challenge: String? { isBasic ? "Basic realm=\"token\"" : nil }
        /// The id for the log.
        var id: String { readings.first?.id ?? "" }
    }

    /// Who is right is looked at before who is counted, so the limit keeps nobody out: secrets are compared in memory, and what
    /// a public client presents is looked up (``OIDCParts/admit(_:of:)``).
    ///
    /// - Throws: ``OAuthError``.
    func client(of request: Request, _ parameters: RequestParameters, _ context: VisitorContext) async throws -> Proven
    {
        let claim = try Self.claim(of: request, parameters)
        let version = clients.version
        var found = check(claim)
        if found == nil {
            await clients.renew(refusing: request, context)
            if clients.version != version { found = check(claim) }
            if found == nil { try clients.checkCompared() }
        }
        let address = networks.addresses.address(of: request, peer: context.peer) ?? .unknown
        guard var found else {
            if let wait = networks.badSignatures.hit(address) { throw OAuthError.rateLimited(wait) }
            throw await wrong(claim)
        }
        (found.address, found.challenge) = (address, claim.challenge)
        return found
    }

    /// Counts a refused grant of a public client against the network, as a wrong secret is: anybody can name that client.
    ///
    /// - Returns: the error with the client's name for the log, or that the network has to wait.
    func counting(_ error: OAuthError, of client: Proven) -> OAuthError {
        var error = error
        error.client = client.client.id
        error.isAlert = error.isAlert && client.use != nil
        guard client.use == nil, error.isInvalidGrant, let wait = networks.badSignatures.hit(client.address) else {
            return error
        }
        return OAuthError.rateLimited(wait)
    }

    /// An unknown client and a wrong secret have the same words.
    private func wrong(_ claim: Claim) async -> OAuthError {
        var error = OAuthError(
            "invalid_client", .unauthorized,
            cause: clients.client(id: claim.id) == nil ? "client_unknown" : "client_secret_wrong",
            "The client is not registered for OpenID Connect, or its secret is wrong or missing.",
            client: SentText.clientID(Array(claim.id.utf8)))
        (error.challenge, error.isAlert) = (claim.challenge, claim.readings.contains { $0.secret != nil })
        error.near = await near(claim)
        return error
    }

    /// What would have been right in place of a wrong secret.
    private func near(_ claim: Claim) async -> NearSecret? {
        let sent = claim.readings.compactMap(\.secret)
        guard !sent.isEmpty, let client = clients.client(id: claim.id), client.oidc?.isPublic == false else {
            return nil
        }
        return await clients.nearSecret(of: client) { key in
            sent.reduce(false) { ConstantTime.equal(key, $1) || $0 }
        }
    }

    private static func claim(of request: Request, _ parameters: RequestParameters) throws -> Claim {
        let unreadable = ParameterError.Kind.wrong("Basic and base64 of id:secret")
        do throws(ParameterError) {
            let id = try parameters.text("client_id")
            let secret = try parameters.text("client_secret")
            let fields = request.headers[values: .authorization]
            guard let field = fields.first else {
                guard let id else { throw ParameterError("client_id", .missing) }
                return Claim(readings: [(id, secret.map { Array($0.utf8) })], isBasic: false)
            }
            guard fields.count == 1, let basic = Self.basic(field) else {
                throw ParameterError("Authorization", fields.count == 1 ? unreadable : .repeated)
            }
            // RFC 6749 2.3: no more than one method in a request.
            guard secret == nil else { throw ParameterError("client_secret", .wrong("absent beside Authorization")) }
            guard id.map({ id in basic.readings.contains { $0.id.utf8.elementsEqual(id.utf8) } }) ?? true else {
                throw ParameterError("client_id", .wrong("that of Authorization"))
            }
            return basic
        } catch {
            var refused = OAuthError(error)
            if error == ParameterError("Authorization", unreadable) {
                // RFC 6749 5.2: who has tried the field is answered in its terms.
                refused = OAuthError(
                    "invalid_client", .unauthorized, cause: error.cause, error.explanation + ".")
                refused.challenge = "Basic realm=\"token\""
            }
            if error.name == "client_id", error.kind == .missing {
                refused = OAuthError(
                    "invalid_client", .unauthorized, cause: "client_id_missing",
                    "The client must name itself: by Authorization: Basic, or by client_id.")
            }
            throw refused
        }
    }

    private static func basic(_ field: String) -> Claim? {
        guard let bytes = Credentials.of("basic", in: field).flatMap({ Data(base64Encoded: $0) }),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let (id, secret) = (Array(bytes[..<colon]), Array(bytes[(colon + 1)...]))
        var readings: [(id: String, secret: [UInt8]?)] = []
        let decoded = (PercentCoding.decode(id, plusIsSpace: true), PercentCoding.decode(secret, plusIsSpace: true))
        for case let (id?, secret?) in [decoded, (id, secret)] {
            guard let id = String(validating: id, as: UTF8.self) else { continue }
            readings.append((id, secret.isEmpty ? nil : secret))
        }
        return readings.isEmpty ? nil : Claim(readings: readings, isBasic: true)
    }

    /// Compares every reading with every secret, also after a match, in constant time.
    private func check(_ claim: Claim) -> Proven? {
        var found: Proven?
        for (id, secret) in claim.readings {
            guard let client = clients.client(id: id), let settings = client.oidc else { continue }
            // Apps that everyone can read send a secret that is part of their code, as ownCloud's do. It proves nothing, and the
            // code verifier is what counts (RFC 8252 8.5).
            guard !settings.isPublic else {
                found = Proven(client: client, settings: settings, use: nil)
                continue
            }
            guard let secret else { continue }
            for (own, fingerprint) in zip(client.secrets, client.fingerprints)
            where ConstantTime.equal(own.bytes, secret) {
                found = Proven(
                    client: client, settings: settings, use: SecretName(client: client.id, fingerprint: fingerprint))
            }
        }
        return found
    }
}
