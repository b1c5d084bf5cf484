import Foundation
import Testing

@testable import IdPOIDC
@testable import IdPTestKit
@testable import TestKit

@Suite("idp keys, beside a running IdP", .deployment)
struct KeysCommandTests {
    private static func keys(_ text: String) throws -> [JSONValue] { try JSONDecoding.value(Array(text.utf8)).items }

    private static func published(_ pair: ProcessDeployment) async throws -> Set<String> {
        let reply = try await HTTPProbe(port: pair.idp.port, authority: "localhost:\(pair.idp.port)").get(OIDCPath.keys)
        return Set(try reply.json()["keys"]?.items.compactMap { $0["kid"]?.text } ?? [])
    }

    @Test("without a key there is nothing to list or to rotate, and both say so with exit code 0")
    func none() async throws {
        try await ProcessDeployment.running(ProcessDeployment()) { pair in
            let key = ["IDP_SECRET_KEY": pair.idp.settings["IDP_SECRET_KEY"] ?? ""]
            #expect(try await pair.idp(["keys", "list"]).printed.hasPrefix("There is no key yet."))
            #expect(try await pair.idp(["keys", "list", "--json"]).printed == "[]\n")
            #expect(try await pair.idp(["keys", "rotate"], settings: key).printed.hasPrefix("Nothing to do"))
            let json = try await pair.idp(["keys", "rotate", "--json"], settings: key).printed
            #expect(json == "{\"changed\":false,\"keys\":[]}\n")
        }
    }

    @Test(
        "rotate publishes keys that do not sign yet, rotate --now lets the old ones go at once, and retire removes one that does not sign"
    )
    func life() async throws {
        let pair = try ProcessDeployment(clients: 2)
        let file = pair.folder.text(of: "clients.yaml").replacingOccurrences(
            of: "    access: everyone\n", with: "    access: everyone\n    protocols: [sso, oidc]\n")
        _ = try pair.folder.write(file, to: "clients.yaml")
        try await ProcessDeployment.running(pair) { pair in
            let key = ["IDP_SECRET_KEY": pair.idp.settings["IDP_SECRET_KEY"] ?? ""]
            let first = try await Self.published(pair)
            #expect(first.count == 3, "one for each algorithm")
            let listed = try Self.keys(try await pair.idp(["keys", "list", "--json"]).printed)
            #expect(Set(listed.compactMap { $0["kid"]?.text }) == first)
            #expect(Set(listed.compactMap { $0["state"]?.text }) == ["signs"])
            #expect(Set(listed.compactMap { $0["alg"]?.text }) == ["RS256", "ES256", "EdDSA"])

            let rotated = try JSONDecoding.value(
                Array(try await pair.idp(["keys", "rotate", "--json"], settings: key).printed.utf8))
            #expect(rotated["changed"] == true)
            let states = (rotated["keys"]?.items ?? []).compactMap { $0["state"]?.text }.sorted()
            #expect(states == ["next", "next", "next", "signs", "signs", "signs"])
            let both = try await Self.published(pair)
            #expect(both.count == 6 && both.isSuperset(of: first))

            let next = try #require(
                (rotated["keys"]?.items ?? []).first { $0["state"]?.text == "next" }?["kid"]?.text)
            let current = try #require(first.first)
            // The one that signs cannot go: a command for that is rotate --now.
            let refused = try await pair.idp(["keys", "retire", current], endsWith: 1)
            #expect(refused.log.contains("rotate --now"))
            try await pair.idp(["keys", "retire", next])
            #expect(try await Self.published(pair) == both.subtracting([next]))
            try await pair.idp(["keys", "retire", next], endsWith: 1)
            try await pair.idp(["keys", "retire", "abc"], endsWith: 64)
            #expect(try await Self.published(pair) == both.subtracting([next]))

            try await pair.idp(["keys", "rotate", "--now"], settings: key)
            #expect(try await Self.published(pair).isDisjoint(with: first))
            // Nothing usable is printed, and without the key of the program nothing is made.
            try await pair.idp(["keys", "rotate"], endsWith: 78)
            let all = try await Self.published(pair)
            for words in [["keys", "rotate"], ["keys", "rotate", "--now"]] {
                let wrong = try await pair.idp(words, settings: ["IDP_SECRET_KEY": TestSecret.new()], endsWith: 78)
                #expect(wrong.log.contains("use the key of the running IdP: "), "\(wrong.log)")
            }
            #expect(try await Self.published(pair) == all)
        }
    }
}
