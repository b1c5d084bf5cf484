import JWT
package import SSOShared
package import SSOWeb
package import Storage

/// What signs the tokens of a client.
package enum SigningAlgorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case es256 = "ES256"
    case eddsa = "EdDSA"
}

/// A key that signs ID tokens and logout tokens, without its private half.
package struct SigningKey: Sendable {
    /// Its thumbprint (RFC 7638).
    package let id: String
    package let algorithm: SigningAlgorithm
    /// The first key of an algorithm has 1, and each later one the next number.
    let generation: Int64
    /// As it is published, with `kid`, `use` and `alg`.
    package let publicKey: String
    let sealed: [UInt8]
    package let createdAt: Timestamp
    /// When it signs in place of the one before.
    package let usedFrom: Timestamp
}

/// Owns the rows of `signing_key`, which all processes share.
package struct SigningKeyStore: Sendable {
    /// The table, for the migrations.
    package static let schema = [
        // public_key is the JWK as it is published. private_key is sealed: usable only with IDP_SECRET_KEY.
        """
        CREATE TABLE signing_key (
            kid TEXT PRIMARY KEY NOT NULL,
            algorithm TEXT NOT NULL,
            generation BIGINT NOT NULL,
            public_key TEXT NOT NULL,
            private_key BLOB NOT NULL,
            created_at BIGINT NOT NULL,
            used_from BIGINT NOT NULL,
            UNIQUE (algorithm, generation)
        )
        """
    ]

    package init() {}

    /// Every key: RS256's first, then ES256's, then EdDSA's, each from the oldest on. Libraries that do not look at `kid` take the
    /// first, and RS256 is what clients use by default.
    package func all(_ connection: any SQLConnection) throws -> [SigningKey] {
        let keys = try connection.query("SELECT * FROM signing_key ORDER BY generation").compactMap(SigningKey.init)
        return SigningAlgorithm.allCases.flatMap { algorithm in keys.filter { $0.algorithm == algorithm } }
    }

    /// The key that signs at a moment.
    func current(_ algorithm: SigningAlgorithm, at now: Timestamp, _ connection: any SQLConnection) throws
        -> SigningKey?
    {
        try connection.query(
            """
            SELECT * FROM signing_key WHERE algorithm = :algorithm AND used_from <= :now
             ORDER BY generation DESC LIMIT 1
            """, ["algorithm": .text(algorithm.rawValue), "now": .timestamp(now)]
        ).first.flatMap(SigningKey.init)
    }

    /// - Returns: false if another process has made the key of that generation.
    func insert(_ key: SigningKey, _ connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO signing_key (kid, algorithm, generation, public_key, private_key, created_at, used_from)
            VALUES (:kid, :algorithm, :generation, :public, :private, :created, :used)
                ON CONFLICT (algorithm, generation) DO NOTHING
            """,
            [
                "kid": .text(key.id), "algorithm": .text(key.algorithm.rawValue),
                "generation": .integer(key.generation), "public": .text(key.publicKey), "private": .blob(key.sealed),
                "created": .timestamp(key.createdAt), "used": .timestamp(key.usedFrom),
            ]) == 1
    }

    func delete(_ id: String, _ connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM signing_key WHERE kid = :kid", ["kid": .text(id)])
    }
}

extension SigningKey {
    /// Nil for an algorithm of a later version.
    init?(_ row: SQLRow) throws {
        guard let algorithm = SigningAlgorithm(rawValue: try row.text("algorithm")) else { return nil }
        (id, self.algorithm, generation) = (try row.text("kid"), algorithm, try row.integer("generation"))
        (publicKey, sealed) = (try row.text("public_key"), try row.blob("private_key"))
        (createdAt, usedFrom) = (try row.timestamp("created_at"), try row.timestamp("used_from"))
    }

    /// A new key.
    init(
        _ algorithm: SigningAlgorithm, generation: Int64, _ box: SigningKeyBox, at now: Timestamp, usedFrom: Timestamp,
        from newKey: PrivateKeyMaker = PrivateKey.init(new:)
    ) throws {
        let key = try newKey(algorithm.signature)
        (id, self.algorithm, self.generation) = (key.thumbprint, algorithm, generation)
        let further: [JSONText.Member] = [
            .init("kid", key.thumbprint), .init("use", "sig"), .init("alg", algorithm.rawValue),
        ]
        publicKey = JSONText.object(key.publicMembers + further)
        sealed = try box.seal(key, id: key.thumbprint)
        (createdAt, self.usedFrom) = (now, usedFrom)
    }
}

extension SigningAlgorithm {
    var signature: SignatureAlgorithm {
        switch self {
        case .rs256: .rs256
        case .es256: .es256
        case .eddsa: .eddsa
        }
    }
}

/// Seals the private halves (`IDP_SECRET_KEY`): a copy of the database alone signs nothing.
///
/// The key's id is sealed with it: nobody can put one key in the place of another.
package struct SigningKeyBox: Sendable {
    package let box: SealedBox

    package init(keys: DerivedKeys, randomness: any Randomness) {
        box = SealedBox(keys: keys, label: "signing-key", randomness: randomness)
    }

    func seal(_ key: PrivateKey, id: String) throws -> [UInt8] {
        try box.seal(Array(id.utf8) + [0] + Array(try key.pem().utf8))
    }

    /// Nil for what no key of the list has sealed for this id.
    func open(_ key: SigningKey) -> PrivateKey? {
        let owner = Array(key.id.utf8) + [0]
        guard let plain = box.open(key.sealed), plain.starts(with: owner),
            let pem = String(validating: plain.dropFirst(owner.count), as: UTF8.self)
        else { return nil }
        return try? PrivateKey(pem: pem)
    }
}
