import SSOShared

/// What an authenticator says of itself and of the user [6.1]. Signed in an assertion; in a registration nobody vouches for it.
struct AuthenticatorData: Sendable {
    struct Flags: OptionSet, Sendable {
        let rawValue: UInt8

        static let userPresent = Flags(rawValue: 1)
        static let userVerified = Flags(rawValue: 1 << 2)
        static let backupEligible = Flags(rawValue: 1 << 3)
        static let backedUp = Flags(rawValue: 1 << 4)
        static let attestedData = Flags(rawValue: 1 << 6)
        static let extensions = Flags(rawValue: 1 << 7)
    }

    /// A new credential [6.5.1].
    struct Attested: Sendable {
        let aaguid: AAGUID
        let credentialID: [UInt8]
        let key: CBOR
        /// The bytes of ``key``.
        let publicKey: [UInt8]
    }

    let relyingPartyIDHash: [UInt8]
    let flags: Flags
    let signCount: UInt32
    let attested: Attested?

    /// Reads the bytes to their end: nothing may be there that no flag announces.
    init(_ bytes: [UInt8]) throws(WebAuthnError) {
        guard bytes.count >= 37 else { throw .authenticatorDataLength }
        relyingPartyIDHash = Array(bytes[..<32])
        flags = Flags(rawValue: bytes[32])
        signCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        var rest = bytes[37...]
        attested = flags.contains(.attestedData) ? try Self.attested(&rest) : nil
        if flags.contains(.extensions) {
            var reader = CBORReader(rest)
            guard try reader.value().map != nil else { throw .extensionsNotMap }
            rest = rest[reader.next...]
        }
        guard rest.isEmpty else { throw .authenticatorDataLeftOver }
    }

    private static func attested(_ rest: inout ArraySlice<UInt8>) throws(WebAuthnError) -> Attested {
        guard let aaguid = AAGUID(Array(rest.prefix(16))), rest.count > 18 else { throw .attestedDataLength }
        let count = rest.dropFirst(16).prefix(2).reduce(0) { $0 << 8 | Int($1) }
        guard (1...1023).contains(count) else { throw .credentialIDLength }
        rest = rest.dropFirst(18)
        guard rest.count > count else { throw .attestedDataLength }
        let id = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        var reader = CBORReader(rest)
        let key = try reader.value()
        defer { rest = rest[reader.next...] }
        return Attested(aaguid: aaguid, credentialID: id, key: key, publicKey: Array(rest[..<reader.next]))
    }

    /// Whether it was made for the relying party, for a user who was there and proved it [7.1, 7.2].
    func check(_ ceremony: Ceremony) throws(WebAuthnError) {
        guard ConstantTime.equal(relyingPartyIDHash, SHA256.hash(ceremony.relyingPartyID)) else {
            throw .relyingPartyID
        }
        guard flags.contains(.userPresent) else { throw .userNotPresent }
        guard flags.contains(.userVerified) else { throw .userNotVerified }
        guard flags.contains(.backupEligible) || !flags.contains(.backedUp) else { throw .backedUpWithoutEligibility }
    }
}
