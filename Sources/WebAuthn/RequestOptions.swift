package import SSOShared

/// What `navigator.credentials.get` is asked for, in the form of `PublicKeyCredential.parseRequestOptionsFromJSON` [5.1.9]. No
/// credential is named, so that the page says nothing about accounts.
package struct RequestOptions {
    /// The members of the object, to stand in a larger one.
    package let members: [JSONText.Member]
    package var json: String { JSONText.object(members) }

    package init(_ ceremony: Ceremony) {
        members = [
            .init("challenge", Base64URL.encode(ceremony.challenge)), .init("timeout", Ceremony.timeout),
            .init("rpId", ceremony.relyingPartyID), .init("allowCredentials", [[JSONText.Member]]()),
            .init("userVerification", "required"),
        ]
    }
}
