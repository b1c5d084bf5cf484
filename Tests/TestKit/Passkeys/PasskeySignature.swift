import JWT
import SSOShared

/// Keys and signatures as authenticators write them.
enum PasskeySignature {
    /// In the form of WebAuthn 6.5.5: ECDSA in DER, where ``PrivateKey`` has two numbers of fixed length.
    static func make(_ bytes: [UInt8], _ key: PrivateKey) throws -> [UInt8] {
        let signature = try key.sign(bytes)
        return key.algorithm == .es256 ? der(signature) : signature
    }

    /// The DER of two numbers of 32 bytes.
    static func der(_ pair: [UInt8]) -> [UInt8] {
        let numbers = integer(pair[..<32]) + integer(pair[32...])
        return [0x30, UInt8(numbers.count)] + numbers
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }

    /// The COSE key of the public half (RFC 9053 7, RFC 8230 4).
    static func publicKey(_ key: PrivateKey) throws -> CBORItem {
        let members = try JSONReader.readStrictly(JSONText.bytes(key.publicMembers))
        func number(_ name: String) throws -> CBORItem {
            guard let bytes = members[name]?.string.flatMap({ Base64URL.decode($0) }) else {
                throw ProbeFailure("the key has no \(name)")
            }
            return .bytes(bytes)
        }
        let label = CBORItem.integer
        switch key.algorithm {
        case .es256:
            return .map([
                (label(1), label(2)), (label(3), label(-7)), (label(-1), label(1)), (label(-2), try number("x")),
                (label(-3), try number("y")),
            ])
        case .eddsa:
            return .map([
                (label(1), label(1)), (label(3), label(-8)), (label(-1), label(6)), (label(-2), try number("x")),
            ])
        case .rs256, .ps256:
            return .map([
                (label(1), label(3)), (label(3), label(-257)), (label(-1), try number("n")),
                (label(-2), try number("e")),
            ])
        }
    }

    /// The number of an algorithm at IANA.
    static func number(_ algorithm: SignatureAlgorithm) -> Int {
        switch algorithm {
        case .es256: -7
        case .eddsa: -8
        case .rs256: -257
        case .ps256: -37
        }
    }
}
