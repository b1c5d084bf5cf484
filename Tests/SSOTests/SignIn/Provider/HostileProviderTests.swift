import Testing

@testable import TestKit

/// No user gets in by way of a provider that does not keep to the rules, each refusal says why in the log, and an honest
/// user signs in afterwards. One test has all rows of a group, because a deployment for each would take minutes.
@Suite("A hostile provider", .program, .alsoOnPostgres)
struct HostileProviderTests {
    @Test("with another algorithm or key signs no user in")
    func keys() async throws { try await HostileRow.run(HostileRow.keyRows) }

    @Test("with an ID token that can be read in two ways signs no user in")
    func spellings() async throws { try await HostileRow.run(HostileRow.spellingRows) }

    @Test("with claims about another sign-in signs no user in")
    func claims() async throws { try await HostileRow.run(HostileRow.claimRows) }

    @Test("no user is signed in by an answer that is not this browser's own")
    func answers() async throws { try await HostileRow.run(HostileRow.answerRows) }

    @Test("whose token endpoint answers something else signs no user in")
    func tokens() async throws { try await HostileRow.run(HostileRow.tokenRows) }

    @Test("whose key set cannot be believed signs no user in")
    func keySets() async throws { try await HostileRow.run(HostileRow.keySetRows) }

    @Test("whose document cannot be believed signs no user in")
    func documents() async throws { try await HostileRow.run(HostileRow.documentRows) }

    @Test("makes no account with an address that it has not verified")
    func addresses() async throws { try await HostileRow.run(HostileRow.addressRows) }

    @Test("that answers as GitHub signs no user in")
    func gitHub() async throws { try await HostileRow.run(HostileRow.gitHubRows) }

    @Test("that answers as Apple signs no user in")
    func apple() async throws { try await HostileRow.run(HostileRow.appleRows) }

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
