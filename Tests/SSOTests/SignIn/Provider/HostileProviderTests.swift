import Testing

/// Nobody gets in by way of a provider that does not keep to the rules, each refusal says why in the log, and an honest
/// user signs in afterwards.
@Suite("A hostile provider")
struct HostileProviderTests {
    @Test("with another algorithm or key signs nobody in", arguments: HostileRow.keyRows)
    func keys(row: HostileRow) async throws { try await row.run() }

    @Test("with an ID token that can be read in two ways signs nobody in", arguments: HostileRow.spellingRows)
    func spellings(row: HostileRow) async throws { try await row.run() }

    @Test("with claims about another sign-in signs nobody in", arguments: HostileRow.claimRows)
    func claims(row: HostileRow) async throws { try await row.run() }

    @Test("nobody is signed in by an answer that is not this browser's own", arguments: HostileRow.answerRows)
    func answers(row: HostileRow) async throws { try await row.run() }

    @Test("whose token endpoint answers something else signs nobody in", arguments: HostileRow.tokenRows)
    func tokens(row: HostileRow) async throws { try await row.run() }

    @Test("whose key set cannot be believed signs nobody in", arguments: HostileRow.keySetRows)
    func keySets(row: HostileRow) async throws { try await row.run() }

    @Test("whose document cannot be believed signs nobody in", arguments: HostileRow.documentRows)
    func documents(row: HostileRow) async throws { try await row.run() }

    @Test("makes no account with an address that it has not verified", arguments: HostileRow.addressRows)
    func addresses(row: HostileRow) async throws { try await row.run() }

    @Test("that answers as GitHub signs nobody in", arguments: HostileRow.gitHubRows)
    func gitHub(row: HostileRow) async throws { try await row.run() }

    @Test("that answers as Apple signs nobody in", arguments: HostileRow.appleRows)
    func apple(row: HostileRow) async throws { try await row.run() }

    @Test("is one of at least 60 rows, each with its own name in its group")
    func count() {
        let groups = [
            HostileRow.keyRows, HostileRow.spellingRows, HostileRow.claimRows, HostileRow.answerRows,
            HostileRow.tokenRows, HostileRow.keySetRows, HostileRow.documentRows, HostileRow.addressRows,
            HostileRow.gitHubRows, HostileRow.appleRows,
        ]
        for group in groups { #expect(Set(group.map(\.name)).count == group.count) }
        #expect(groups.reduce(0) { $0 + $1.count } >= 60)
    }
}
