package import SSOShared

/// What `navigator.credentials.create` is asked for, in the form of `PublicKeyCredential.parseCreationOptionsFromJSON` [5.1.8].
package struct CreationOptions {
    /// The account, as the authenticator keeps and shows it [5.4.3].
    package struct User: Sendable {
        /// 1 to 64 random bytes, never the account's id: any authenticator shows them without a question [14.6.1].
        package let handle: [UInt8]
        /// The address that tells accounts apart.
        package let name: String
        package let displayName: String

        package init(handle: [UInt8], name: String, displayName: String) {
            (self.handle, self.name, self.displayName) = (handle, name, displayName)
        }
    }

    /// A passkey that the account has: the authenticator that holds it makes no second one.
    package struct Excluded: Sendable {
        package let id: [UInt8]
        package let transports: [String]

        package init(id: [UInt8], transports: [String]) { (self.id, self.transports) = (id, transports) }
    }

    /// The members of the object, to stand in a larger one.
    package let members: [JSONText.Member]
    package var json: String { JSONText.object(members) }

    /// - Parameters:
    ///   - relyingPartyName: what the browser may show beside the id.
    package init(_ ceremony: Ceremony, relyingPartyName: String, user: User, excluding: [Excluded]) {
        let algorithms = CredentialAlgorithm.allCases.map { algorithm -> [JSONText.Member] in
            [.init("type", "public-key"), .init("alg", algorithm.rawValue)]
        }
        let excluded = excluding.map { passkey -> [JSONText.Member] in
            [
                .init("type", "public-key"), .init("id", Base64URL.encode(passkey.id)),
                .init("transports", passkey.transports),
            ]
        }
        members = [
            .init("rp", [.init("id", ceremony.relyingPartyID), .init("name", relyingPartyName)]),
            .init(
                "user",
                [
                    .init("id", Base64URL.encode(user.handle)), .init("name", user.name),
                    .init("displayName", user.displayName),
                ]),
            .init("challenge", Base64URL.encode(ceremony.challenge)), .init("pubKeyCredParams", algorithms),
            .init("timeout", Ceremony.timeout), .init("excludeCredentials", excluded),
            .init(
                "authenticatorSelection",
                [
                    // For browsers of Level 1, the flag says what `residentKey` says.
                    .init("residentKey", "required"), .init("requireResidentKey", true),
                    .init("userVerification", "required"),
                ]),
            .init("attestation", "none"), .init("extensions", [.init("credProps", true)]),
        ]
    }
}
