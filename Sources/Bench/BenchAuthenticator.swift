import Foundation
import JWT
import SSOShared

/// A passkey of ES256 that the bench plays: it answers what a page asks for, as a script of the page sends it.
struct BenchAuthenticator {
    private let key: PrivateKey
    private let id: [UInt8]
    private let origin: String
    private var handle = ""

    init(authority: String) throws {
        (key, id, origin) = (try PrivateKey(new: .es256), try RandomBytes.generate(32), "http://\(authority)")
    }

    /// What a page with options asks for.
    private static func value(_ name: String, in html: Substring) throws -> String {
        guard let value = html.components(between: "\(name)&quot;:&quot;", and: "&quot;").first else {
            throw BenchError("the page asks for no passkey: no \(name)")
        }
        return String(value)
    }

    private func clientData(_ type: String, _ html: String) throws -> [UInt8] {
        let challenge = try Self.value("challenge", in: html[...])
        return Array(
            #"{"type":"webauthn.\#(type)","challenge":"\#(challenge)","origin":"\#(origin)","crossOrigin":false}"#.utf8)
    }

    /// User present and verified, synced, no counter (WebAuthn Level 3, 6.1).
    private static func authenticatorData(isNew: Bool) -> [UInt8] {
        SHA256.hash(Array("localhost".utf8)) + [isNew ? 0x5d : 0x1d, 0, 0, 0, 0]
    }

    /// The answer to a page that adds a passkey.
    mutating func create(_ html: String) throws -> String {
        guard let user = html.firstRange(of: "user&quot;:{") else { throw BenchError("the page adds no passkey") }
        handle = try Self.value("id", in: html[user.upperBound...])
        let client = try clientData("create", html)
        let data =
            Self.authenticatorData(isNew: true) + [UInt8](repeating: 0, count: 16) + [0, 32] + id + (try coseKey())
        // The map of CBOR: fmt none, an empty attStmt, authData.
        let attestation =
            [0xa3] + Self.text("fmt") + Self.text("none") + Self.text("attStmt") + [0xa0] + Self.text("authData")
            + [0x58, UInt8(data.count)] + data
        return credential(
            #""clientDataJSON":"\#(Base64URL.encode(client))","attestationObject":"\#(Base64URL.encode(attestation))","transports":["internal"]"#
        )
    }

    /// The answer to a sign-in page.
    func get(_ html: String) throws -> String {
        let (client, data) = (try clientData("get", html), Self.authenticatorData(isNew: false))
        let signature = Self.der(try key.sign(data + SHA256.hash(client)))
        return credential(
            #""clientDataJSON":"\#(Base64URL.encode(client))","authenticatorData":"\#(Base64URL.encode(data))","signature":"\#(Base64URL.encode(signature))","userHandle":"\#(handle)""#
        )
    }

    private func credential(_ response: String) -> String {
        let name = Base64URL.encode(id)
        return
            #"{"id":"\#(name)","rawId":"\#(name)","type":"public-key","response":{\#(response)},"clientExtensionResults":{}}"#
    }

    private func coseKey() throws -> [UInt8] {
        let members = try JSONReader.readStrictly(JSONText.bytes(key.publicMembers))
        func number(_ name: String) throws -> [UInt8] {
            guard let bytes = members[name]?.string.flatMap({ Base64URL.decode($0) }) else {
                throw BenchError("the key has no \(name)")
            }
            return [0x58, 32] + bytes
        }
        return [0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21] + (try number("x")) + [0x22] + (try number("y"))
    }

    private static func text(_ word: String) -> [UInt8] { [0x60 + UInt8(word.utf8.count)] + Array(word.utf8) }

    /// The two numbers of a signature as DER.
    private static func der(_ pair: [UInt8]) -> [UInt8] {
        let numbers = integer(pair[..<32]) + integer(pair[32...])
        return [0x30, UInt8(numbers.count)] + numbers
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }
}
