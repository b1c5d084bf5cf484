import SSOWeb
import Testing

@testable import IdPClients
@testable import TestKit
@testable import WebTestKit

@Suite("Requests that name what no client is", .rules)
struct UnknownNamesTests {
    /// Requests one after another, with a limit of three for a minute.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The address, nil for one that cannot be told apart; the seconds since the last request; and whether it passes.
        let requests: [(from: String?, after: Int, passes: Bool)]
    }

    static let rows = [
        Row(
            testDescription: "the fourth of one network does not pass, and another network has a count of its own",
            requests: [
                ("203.0.113.1", 0, true), ("203.0.113.1", 0, true), ("203.0.113.1", 0, true),
                ("203.0.113.1", 0, false), ("203.0.113.2", 0, true), ("203.0.113.1", 0, false),
            ]),
        Row(
            testDescription: "two minutes later it passes again, and what did not pass was not counted",
            requests: [
                ("203.0.113.1", 0, true), ("203.0.113.1", 0, true), ("203.0.113.1", 0, true),
                ("203.0.113.1", 0, false), ("203.0.113.1", 0, false), ("203.0.113.1", 120, true),
                ("203.0.113.1", 0, true), ("203.0.113.1", 0, true), ("203.0.113.1", 0, false),
            ]),
        Row(
            testDescription: "a /64 of IPv6 is one network, and a /48 has four times the limit",
            requests: (0..<3).map { ("2001:db8:1:1::\($0)", 0, true) } + [("2001:db8:1:1::9", 0, false)]
                + (2...4).flatMap { site in (0..<3).map { ("2001:db8:1:\(site)::\($0)", 0, true) } }
                + [("2001:db8:1:5::1", 0, false), ("2001:db8:2:1::1", 0, true)]),
        Row(
            testDescription: "networks that cannot be told apart are not counted",
            requests: (0..<10).map { _ in (nil, 0, true) }),
    ]

    @Test("are counted by network, and beyond the limit they do not pass", arguments: rows)
    func vectors(row: Row) throws {
        let clock = TestClock()
        let names = UnknownNames(ClientAddress(trusted: []), clock: clock.clock, limit: 3)
        for (number, request) in row.requests.enumerated() {
            clock.advance(by: .seconds(request.after))
            let address = try request.from.map { try #require(IPAddress($0)) }
            #expect(names.count(address) == request.passes, "request \(number) from \(request.from ?? "-")")
        }
    }

    @Test("the limit of the program is 120 in a minute")
    func limit() throws {
        let names = UnknownNames(ClientAddress(trusted: []), clock: TestClock().clock)
        let address = try #require(IPAddress("203.0.113.1"))
        #expect((1...130).count { _ in names.count(address) } == 120)
    }
}
