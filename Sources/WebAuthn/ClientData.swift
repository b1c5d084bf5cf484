import SSOShared

/// What the browser says of the page and the question [5.8.1].
enum ClientData {
    /// What the browser was asked for.
    enum Purpose: String {
        case create = "webauthn.create"
        case get = "webauthn.get"
    }

    /// Checks that the response answers this ceremony. Members that are not known are allowed: browsers add some.
    static func check(_ bytes: [UInt8], _ purpose: Purpose, _ ceremony: Ceremony) throws(WebAuthnError) {
        let data: JSONNode
        do { data = try JSONReader.readStrictly(bytes) } catch { throw .clientDataNotJSON }
        guard data.object != nil else { throw .clientDataNotObject }
        guard isEqual(data["type"]?.string, purpose.rawValue) else { throw .clientDataType }
        guard let challenge = data["challenge"]?.string else { throw .challengeMissing }
        guard ceremony.challenge.count >= 16,
            ConstantTime.equal(challenge, Base64URL.encode(ceremony.challenge))
        else { throw .challengeMismatch }
        guard let origin = data["origin"]?.string else { throw .originMissing }
        guard isEqual(origin, ceremony.origin) else { throw .originMismatch }
        // The pages of sign-in stand in no frame of another origin.
        if let crossOrigin = data["crossOrigin"], crossOrigin.bool != false { throw .crossOrigin }
        guard data["topOrigin"] == nil else { throw .topOrigin }
        try checkTokenBinding(data["tokenBinding"])
    }

    /// Level 2 had a binding to the connection, which no connection here has. Older browsers write that they could.
    private static func checkTokenBinding(_ binding: JSONNode?) throws(WebAuthnError) {
        guard let binding else { return }
        guard ["supported", "not-supported"].contains(where: { isEqual(binding["status"]?.string, $0) }) else {
            throw .tokenBinding
        }
    }

    /// Byte by byte: `String ==` takes two Unicode spellings as one.
    private static func isEqual(_ text: String?, _ expected: String) -> Bool {
        text.map { $0.utf8.elementsEqual(expected.utf8) } ?? false
    }
}
