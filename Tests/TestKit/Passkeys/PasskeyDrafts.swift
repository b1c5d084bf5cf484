import JWT
import SSOShared

/// An object of JSON whose members are texts of JSON, so that a test can write anything.
struct DraftObject: Sendable {
    var members: [(name: String, json: String)]

    init(_ members: [(name: String, json: String)]) { self.members = members }

    subscript(name: String) -> String? {
        get { members.first { $0.name == name }?.json }
        set {
            let index = members.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let json?): members[index].json = json
            case (let index?, nil): members.remove(at: index)
            case (nil, let json?): members.append((name, json))
            case (nil, nil): break
            }
        }
    }

    var text: String { "{" + members.map { "\(JSONText.string($0.name)):\($0.json)" }.joined(separator: ",") + "}" }

    static func encoded(_ bytes: [UInt8]) -> String { JSONText.string(Base64URL.encode(bytes)) }
}

/// What a browser sends: the JSON of a credential.
struct PasskeyDraft: Sendable {
    var outer: DraftObject
    var response: DraftObject

    init(id: [UInt8], attachment: String, results: String, response: DraftObject) {
        let name = DraftObject.encoded(id)
        outer = DraftObject([
            ("id", name), ("rawId", name), ("type", #""public-key""#),
            ("authenticatorAttachment", JSONText.string(attachment)), ("clientExtensionResults", results),
        ])
        self.response = response
    }

    /// With `response` at its end, unless a test has put one in ``outer``.
    var json: [UInt8] {
        var object = outer
        if object["response"] == nil { object["response"] = response.text }
        return Array(object.text.utf8)
    }
}

/// Authenticator data (WebAuthn 6.1) before it is written.
struct AuthenticatorDraft: Sendable {
    /// The bits of the flags.
    enum Flag {
        static let present: UInt8 = 0x01
        static let verified: UInt8 = 0x04
        static let eligible: UInt8 = 0x08
        static let backedUp: UInt8 = 0x10
        static let attested: UInt8 = 0x40
        static let extensions: UInt8 = 0x80
    }

    var relyingPartyIDHash: [UInt8]
    var flags: UInt8
    var signCount: UInt32
    var aaguid: [UInt8] = []
    /// The two bytes before the id; nil for its true length.
    var idLength: Int?
    var credentialID: [UInt8] = []
    /// The COSE key. Nil in an assertion.
    var key: CBORItem?
    var extensions: [UInt8] = []
    var tail: [UInt8] = []

    var bytes: [UInt8] {
        var bytes = relyingPartyIDHash + [flags] + CBORItem.bigEndian(Int(signCount), 4)
        if let key {
            bytes += aaguid + CBORItem.bigEndian(idLength ?? credentialID.count, 2) + credentialID + key.encoded
        }
        return bytes + extensions + tail
    }
}

/// A registration before it is written.
struct RegistrationDraft: Sendable {
    enum Statement: Sendable {
        case item(CBORItem)
        /// The new key signs, and these are the members (WebAuthn 8.2).
        case selfAttestation(algorithm: Int)
    }

    var client: DraftObject
    var data: AuthenticatorDraft
    var format: CBORItem? = .text("none")
    var statement: Statement? = .item(.empty)
    /// Members of the attestation object beside the three.
    var others: [(CBORItem, CBORItem)] = []
    /// The attestation object, if a test writes its own.
    var object: [UInt8]?
    var transports = #"["internal","hybrid"]"#
    let key: PrivateKey

    func passkey() throws -> PasskeyDraft {
        let clientData = Array(client.text.utf8)
        var members: [(CBORItem, CBORItem)] = []
        if let format { members.append((.text("fmt"), format)) }
        switch statement {
        case .item(let item): members.append((.text("attStmt"), item))
        case .selfAttestation(let algorithm):
            let signature = try PasskeySignature.make(data.bytes + SHA256.hash(clientData), key)
            members.append(
                (
                    .text("attStmt"),
                    .map([(.text("alg"), .integer(algorithm)), (.text("sig"), .bytes(signature))])
                ))
        case nil: break
        }
        members.append((.text("authData"), .bytes(data.bytes)))
        let response = DraftObject([
            ("clientDataJSON", DraftObject.encoded(clientData)),
            ("attestationObject", DraftObject.encoded(object ?? CBORItem.map(members + others).encoded)),
            ("transports", transports),
        ])
        return PasskeyDraft(
            id: data.credentialID, attachment: "platform", results: #"{"credProps":{"rk":true}}"#, response: response)
    }
}

/// An assertion before it is signed.
struct AssertionDraft: Sendable {
    var client: DraftObject
    var data: AuthenticatorDraft
    var id: [UInt8]
    /// Nil leaves it out.
    var userHandle: [UInt8]?
    var key: PrivateKey

    func passkey() throws -> PasskeyDraft {
        let clientData = Array(client.text.utf8)
        let signature = try PasskeySignature.make(data.bytes + SHA256.hash(clientData), key)
        var response = DraftObject([
            ("clientDataJSON", DraftObject.encoded(clientData)),
            ("authenticatorData", DraftObject.encoded(data.bytes)), ("signature", DraftObject.encoded(signature)),
        ])
        response["userHandle"] = userHandle.map { DraftObject.encoded($0) }
        return PasskeyDraft(id: id, attachment: "platform", results: "{}", response: response)
    }
}
