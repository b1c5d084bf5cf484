import SSOShared

/// What the JSON of a registration and of an assertion have in common: the form of `PublicKeyCredential.toJSON()` [5.1].
struct CredentialJSON {
    let id: [UInt8]
    let clientData: [UInt8]
    /// The member `response`.
    let response: JSONNode
    let extensionResults: JSONNode

    init(_ json: [UInt8]) throws(WebAuthnError) {
        guard json.count <= 64 << 10 else { throw .responseTooLong }
        let root: JSONNode
        do { root = try JSONReader.readStrictly(json) } catch { throw .responseNotJSON }
        guard root.object != nil else { throw .responseNotObject }
        id = try Self.bytes(root["id"], .credentialID)
        guard id == (try Self.bytes(root["rawId"], .credentialID)) else { throw .credentialIDsDiffer }
        guard id.count <= 1023 else { throw .credentialIDLength }
        guard let type = root["type"]?.string, type.utf8.elementsEqual("public-key".utf8) else { throw .credentialType }
        if let attachment = root.member("authenticatorAttachment"), attachment.string == nil {
            throw .authenticatorAttachment
        }
        guard let results = root["clientExtensionResults"], results.object != nil else { throw .extensionResults }
        guard let response = root["response"], response.object != nil else { throw .authenticatorResponse }
        (extensionResults, self.response) = (results, response)
        clientData = try Self.bytes(response["clientDataJSON"], .clientDataEncoding)
    }

    /// A member of ``response`` that has to be there.
    func bytes(_ name: String, _ error: WebAuthnError) throws(WebAuthnError) -> [UInt8] {
        try Self.bytes(response[name], error)
    }

    private static func bytes(_ node: JSONNode?, _ error: WebAuthnError) throws(WebAuthnError) -> [UInt8] {
        guard let text = node?.string, let bytes = Base64URL.decode(text), !bytes.isEmpty else { throw error }
        return bytes
    }
}
