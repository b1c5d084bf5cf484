import Storage
import Testing

@testable import TestKit
@testable import WebTestKit

/// What the stores rely on. A new engine needs one more test here, with the same arguments.
@Suite("What the stores rely on", .rules)
struct DatabaseClaimTests {
    private let fixture: StorageFixture

    init() throws { fixture = try StorageFixture() }

    @Test("on SQLite", arguments: DatabaseClaim.all)
    func sqlite(claim: DatabaseClaim) async throws {
        let fixture = fixture
        try await claim.check { try await fixture.open($0) }
    }

    @Test("on a database that runs each body twice and keeps the second run", arguments: DatabaseClaim.all)
    func rerunning(claim: DatabaseClaim) async throws {
        let fixture = fixture
        try await claim.check { RerunningDatabase(try await fixture.open($0)) }
    }

    @Test("on PostgreSQL", arguments: DatabaseClaim.all)
    func postgres(claim: DatabaseClaim) async throws {
        let fixture = try await PostgresFixture.make()
        try await claim.check { try await fixture.open($0) }
    }

    @Test("on PostgreSQL with each body run twice", arguments: DatabaseClaim.all)
    func postgresRerunning(claim: DatabaseClaim) async throws {
        let fixture = try await PostgresFixture.make()
        try await claim.check { RerunningDatabase(try await fixture.open($0)) }
    }
}
