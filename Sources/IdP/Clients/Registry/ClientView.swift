package import SSOWeb
package import Storage

/// A client as operators see it: from either source, with the uses of its secrets.
package struct ClientView: Sendable {
    package struct Secret: Sendable {
        package let fingerprint: String
        /// Nil for one in the file.
        package let addedAt: Timestamp?
        package let use: SecretUse?
        package let isCurrent: Bool
        /// When it ends by itself, unless it is used again. Nil for one that does not.
        package let endsAt: Timestamp?
        /// Where it is in the file.
        package let line: Int?
    }

    /// Without secrets if it is in the database.
    package let client: Client
    package let entry: ClientEntry?
    package let isEnabled: Bool
    /// The current one first.
    package let secrets: [Secret]

    /// The clients of the file, then those of the database.
    package static func all(file: ClientRegistry, _ connection: any SQLConnection) throws -> [ClientView] {
        let store = ClientStore()
        let uses = try store.uses(connection)
        let added = try store.all(connection).map { try ClientView($0, of: file.protocols, uses) }
        return file.all.map { ClientView($0, uses) } + added
    }

    private init(_ client: Client, _ uses: [SecretName: SecretUse]) {
        let lines = if case .file(_, _, let lines, _) = client.origin { lines } else { [Int]() }
        (self.client, entry, isEnabled) = (client, nil, true)
        secrets = client.fingerprints.enumerated().map { index, fingerprint in
            Secret(
                fingerprint: fingerprint, addedAt: nil,
                use: uses[SecretName(client: client.id, fingerprint: fingerprint)], isCurrent: index == 0, endsAt: nil,
                line: lines.indices.contains(index) ? lines[index] : nil)
        }
    }

    private init(_ stored: StoredClient, of protocols: ClientProtocols, _ uses: [SecretName: SecretUse]) throws {
        var problems: [String] = []
        guard let client = stored.described(of: protocols, problem: { problems.append($0) }) else {
            throw DatabaseError.refused(problems.joined(separator: " "))
        }
        (self.client, entry, isEnabled) = (client, stored.entry, stored.isEnabled)
        secrets = stored.secrets.map { secret in
            let use = uses[secret.name]
            return Secret(
                fingerprint: secret.fingerprint, addedAt: secret.addedAt, use: use,
                isCurrent: secret.replacedAt == nil,
                endsAt: secret.replacedAt.map { max($0, use?.last ?? $0) + secret.endsAfter }, line: nil)
        }
    }

    /// The lines of the file with secrets that nobody needs any more: the first one is in use for seven days, and they were not
    /// used in that time.
    package func linesThatMayGo(at now: Timestamp) -> [(line: Int, fingerprint: String)] {
        let oldest = now - ClientLimits.unusedSecretEndsAfter
        guard let current = secrets.first?.use, current.first <= oldest else { return [] }
        return secrets.dropFirst().compactMap { secret -> (line: Int, fingerprint: String)? in
            guard let line = secret.line, secret.use.map({ $0.last <= oldest }) ?? true else { return nil }
            return (line, secret.fingerprint)
        }
    }

    /// The same in words for operators.
    package static func linesThatMayGo(_ views: [ClientView], at now: Timestamp) -> [String] {
        views.flatMap { view -> [String] in
            guard case .file(let path, _, _, _) = view.client.origin else { return [] }
            return view.linesThatMayGo(at: now).map { line, fingerprint in
                "\(path):\(line): the secret \(fingerprint) of \(view.client.id) may go: the first one is in use, and this one was not used for seven days."
            }
        }
    }
}
