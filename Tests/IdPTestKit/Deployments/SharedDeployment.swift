import Synchronization
import Testing

@testable import TestKit

/// One deployment for all rows of a table: `@Test("…", .oneDeployment, arguments: rows)`, and in the body
/// ``TestDeployment/shared()``.
///
/// The rows run at once and share the clock, the log, the emails and the limits. So it is for tables whose rows leave the
/// clock alone, use an address or a network of their own where they send emails, and look for what is theirs.
struct SharedDeployment: TestTrait, TestScoping {
    fileprivate let clients: Int
    fileprivate let settings: [String: String]

    /// Once around all rows, not around each.
    func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? self : nil }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await TestDeployment.open(clients: clients, settings: settings) { deployment in
            try await TestDeployment.$ofTheTable.withValue(deployment) { try await function() }
        }
    }
}

extension Trait where Self == SharedDeployment {
    static var oneDeployment: Self { .oneDeployment() }

    /// - Parameters: as those of ``TestDeployment/open(clients:at:settings:clientSettings:limits:standIns:mailer:adding:wrapping:pages:clientPages:preparing:_:)``.
    static func oneDeployment(clients: Int = 1, settings: [String: String] = [:]) -> Self {
        Self(clients: clients, settings: settings)
    }
}

extension TestDeployment {
    /// The one that the rows of a table share.
    @TaskLocal fileprivate static var ofTheTable: TestDeployment?

    /// The deployment of this table.
    ///
    /// - Throws: when the test has no ``SharedDeployment``.
    static func shared() throws -> TestDeployment {
        guard let deployment = ofTheTable else { throw ProbeFailure("this test has no trait .oneDeployment") }
        return deployment
    }

    /// An address that no other row has, for tables whose rows sign in.
    func newAddress() -> String {
        "user\(Self.addresses.add(1, ordering: .relaxed).newValue)@example.com"
    }

    private static let addresses = Atomic<Int>(0)
}
