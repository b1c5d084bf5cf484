import SSOShared
import SSOWeb
import Testing

@testable import IdPSignIn
@testable import TestKit

@Suite("The number and the address of an answer", .rules)
struct EmailReplyTests {
    private static let first = "first-key-" + String(repeating: "a", count: 32)
    private static let second = "second-key-" + String(repeating: "b", count: 32)
    private static let id = Challenge.id([UInt8](0..<16))

    private static func keys(_ keys: String...) throws -> DerivedKeys {
        try DerivedKeys.parse(keys.joined(separator: ","), setting: "IDP_SECRET_KEY")
    }

    private static func reply(_ keys: String...) throws -> EmailReply {
        EmailReply(
            keys: try DerivedKeys.parse(keys.joined(separator: ","), setting: "IDP_SECRET_KEY"), domain: "reply.example"
        )
    }

    /// Fixed ids, so the outcome is always the same; 27.88 is the chi-square bound of nine degrees at 0.1 %.
    @Test("every digit is equally likely at each of the four positions, leading zeros included")
    func uniform() throws {
        let reply = try Self.reply(Self.first)
        var counts = [[Int]](repeating: [Int](repeating: 0, count: 10), count: 4)
        let total = 20_000
        for number in 0..<total {
            let digits = Array(reply.number(for: "chl_\(number)").utf8)
            try #require(digits.count == 4)
            for (position, digit) in digits.enumerated() { counts[position][Int(digit) - 48] += 1 }
        }
        let expected = Double(total) / 10
        for position in counts {
            let chiSquare = position.reduce(0.0) { $0 + (Double($1) - expected) * (Double($1) - expected) / expected }
            #expect(chiSquare < 27.88, "\(position)")
        }
    }

    @Test("of all ten thousand numbers one matches, for its challenge and its key alone")
    func exact() throws {
        let reply = try Self.reply(Self.first)
        let all = (0..<10_000).map { String(String($0 + 10_000).dropFirst()) }
        #expect(all.filter { reply.matches($0, Self.id) } == [reply.number(for: Self.id)])
        let others = (UInt8(0)..<50).map { Challenge.id([UInt8](repeating: $0, count: 16)) }
        #expect(Set(others.map(reply.number)).count > 40)
        let second = try Self.reply(Self.second)
        #expect(others.contains { second.number(for: $0) != reply.number(for: $0) })
    }

    @Test("the number has a key of its own: it says nothing about the code")
    func ownKey() throws {
        let keys = try Self.keys(Self.first)
        let (reply, codes) = (try Self.reply(Self.first), EmailCode(keys: keys))
        let ids = (0..<200).map { "chl_\($0)" }
        #expect(ids.count { codes.code(for: $0).hasSuffix(reply.number(for: $0)) } < 5)
        #expect(ids.count { codes.code(for: $0).hasPrefix(reply.number(for: $0)) } < 5)
    }

    @Test(
        "text that is not four ASCII digits matches no challenge", arguments: ["", "12", "00000", "٠٠٠٠", "0000\u{0}"])
    func malformed(_ text: String) throws {
        let reply = try Self.reply(Self.first)
        for byte in UInt8(0)..<50 {
            #expect(!reply.matches(text, Challenge.id([UInt8](repeating: byte, count: 16))))
        }
    }

    @Test("the address is login+ and 52 characters of base32 at the domain, and names its challenge alone")
    func address() throws {
        let reply = try Self.reply(Self.first)
        let address = try #require(reply.address(for: Self.id)?.text)
        #expect(address.wholeMatch(of: #/login\+[a-z2-7]{52}@reply\.example/#) != nil, "\(address)")
        let key = try #require(Base32.decode(address.dropFirst(6).prefix(52).utf8))
        #expect(reply.challengeID(of: key) == Self.id)
        for index in key.indices {
            var other = key
            other[index] ^= 1
            #expect(reply.challengeID(of: other) == nil)
        }
        #expect(try Self.reply(Self.second).challengeID(of: key) == nil)
        let link = ChallengeKey(keys: try Self.keys(Self.first), label: "email-link")
        #expect(reply.challengeID(of: link.bytes(for: Self.id)) == nil, "a key of the link is no key of an answer")
        #expect(reply.address(for: "not-a-challenge") == nil)
    }

    @Test("after a key rotation an answer to an earlier email is still right")
    func rotation() throws {
        let old = try Self.reply(Self.first)
        let rolled = try Self.reply(Self.second, Self.first)
        #expect(rolled.matches(old.number(for: Self.id), Self.id))
        let address = try #require(old.address(for: Self.id)?.text)
        let key = try #require(Base32.decode(address.dropFirst(6).prefix(52).utf8))
        #expect(rolled.challengeID(of: key) == Self.id)
    }
}
