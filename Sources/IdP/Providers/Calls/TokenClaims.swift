import SSOShared
import SSOWeb

/// The claims of a token with a valid signature, and the checks that ID tokens and notifications share.
///
/// Required are `iss`, `aud`, `sub`, `iat`, `exp`, in ID tokens also `nonce` (OpenID Connect Core 1.0, 2). `azp`, `nbf`,
/// `auth_time` and `at_hash` may be absent or `null`; one of another type is refused, because it is part of a check. The
/// claims about the user (``IdentityClaims``) may be absent, `null` or anything else. No other claim is read.
package struct TokenClaims: Sendable {
    /// How far the provider's clock may be from ours.
    package static let skew: Duration = .seconds(60)

    let json: JSONNode

    /// `iss` is the provider's issuer, and `aud` holds our client id (OpenID Connect Core 1.0, 3.1.3.7).
    ///
    /// - Parameter other: another name that `aud` may hold in its place.
    func checkOrigin(_ provider: Provider, orAudience other: String? = nil) throws(ProviderError) {
        guard let issuer = json["iss"]?.string, issuer.utf8.elementsEqual(provider.issuer.utf8) else {
            throw .answer(.issuer, json["iss"]?.string ?? "no iss")
        }
        let audiences = try self.audiences()
        let names = [provider.clientID, other].compactMap(\.self)
        guard audiences.contains(where: { audience in names.contains { isSame(audience, $0) } }) else {
            throw .answer(.audience, audiences.joined(separator: " "))
        }
        if let party = json.member("azp") {
            guard let party = party.string, isSame(party, provider.clientID) else {
                throw .answer(.authorizedParty, party.string ?? party.typeName)
            }
        } else if audiences.contains(where: { !isSame($0, audiences[0]) }) {
            throw .answer(.authorizedParty, "\(audiences.count) audiences and no azp")
        }
    }

    private func audiences() throws(ProviderError) -> [String] {
        if let one = json["aud"]?.string { return [one] }
        guard let list = json["aud"]?.array?.map(\.string), !list.isEmpty, list.count <= 100, !list.contains(nil) else {
            throw .answer(.audience, "no aud")
        }
        return list.compactMap(\.self)
    }

    private func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }

    /// 1 to 255 bytes of printable ASCII (OpenID Connect Core 1.0, 2).
    func subject() throws(ProviderError) -> String {
        guard let subject = json["sub"]?.string, (1...255).contains(subject.utf8.count),
            subject.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
        else { throw .answer(.subject, json.member("sub").map { "\($0.string?.utf8.count ?? 0) bytes" } ?? "no sub") }
        return subject
    }

    /// Checks `exp`, `iat` and `nbf`. Returns the moment from which on the same checks fail. `exp` may be as far away as the
    /// provider likes: the age of `iat` is what limits the use.
    ///
    /// - Parameter age: how long ago the token may have been issued.
    func checkTimes(_ now: Timestamp, age: Duration, needsExpiry: Bool = true) throws(ProviderError) -> Timestamp {
        guard let issued = try time("iat") else { throw .answer(.claims, "no iat") }
        guard issued <= now + Self.skew else { throw .answer(.issuedAt) }
        guard issued >= now - age else { throw .answer(.tooOld) }
        if let notBefore = try time("nbf"), notBefore > now + Self.skew { throw .answer(.notBefore) }
        guard let expiry = try time("exp") else {
            if needsExpiry { throw .answer(.claims, "no exp") }
            return issued + age
        }
        guard expiry > now - Self.skew else { throw .answer(.expired) }
        return min(expiry + Self.skew, issued + age)
    }

    /// A NumericDate (RFC 7519 2): a number, never a text. nil when the claim is missing.
    func time(_ name: String) throws(ProviderError) -> Timestamp? {
        guard let node = json.member(name) else { return nil }
        // Until the year 9999.
        guard case .number(let digits) = node.value, let seconds = Double(digits),
            (0...253_402_300_799).contains(seconds)
        else { throw .answer(.claims, name) }
        return Timestamp(milliseconds: Int64(seconds * 1000))
    }

    /// True, or the text `true`, as Apple sends it.
    func isTrue(_ name: String) -> Bool { json[name]?.bool ?? (json[name]?.string == "true") }
}
