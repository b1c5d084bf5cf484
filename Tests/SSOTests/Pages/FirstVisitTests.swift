import SSOShared
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("What a first visit loads", .program)
struct FirstVisitTests {
    /// A page and what its tags load, as a browser gets them that has nothing yet: heads and bodies in bytes, by path.
    private static func loaded(_ visit: Visit, by browser: Browser) async throws -> [String: Int] {
        var found = [visit.address.target: size(visit.reply)]
        for tag in try visit.page().tags {
            let isLoaded = tag.name == "link" && ["stylesheet", "icon"].contains(tag["rel"] ?? "")
            guard let path = isLoaded ? tag["href"] : ["img", "script"].contains(tag.name) ? tag["src"] : nil,
                found[path] == nil
            else { continue }
            let file = try await browser.get(
                visit.address.resolving(path), [("Accept-Encoding", "gzip, deflate, br, zstd")])
            #expect(file.status == 200, "\(path)")
            found[path] = size(file.reply)
        }
        return found
    }

    private static func size(_ reply: ProbeReply) -> Int {
        reply.body.count + reply.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    }

    @Test("the sign-in page with passkeys and every provider is at most 30 KiB, styles, scripts and images included")
    func signIn() async throws {
        try await ProviderDeployment.open([.oidc, .apple, .github]) { place in
            for language in PageStates.languages {
                let browser = place.deployment.browser(language: language)
                let page = try await browser.follow(browser.get(place.deployment.authorize(place.client, state: "s")))
                #expect(try page.page().form(with: "email") != nil)
                let loaded = try await Self.loaded(page, by: browser)
                #expect(loaded.count > 4, "the styles, the scripts and the icon are among them")
                let sum = loaded.values.reduce(0, +)
                #expect(sum <= 30 << 10, "\(sum) bytes: \(loaded.sorted { $0.key < $1.key })")
            }
        }
    }

    @Test("styles and scripts are packed for a browser that reads gzip, and are as they are for all others")
    func packed() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let page = try await browser.get(deployment.origin + "/sign-in")
            let style = try #require(try page.page().tags.first { $0["rel"] == "stylesheet" }?["href"])
            func get(_ coding: String?) async throws -> ProbeReply {
                try await browser.get(deployment.origin + style, coding.map { [("Accept-Encoding", $0)] } ?? []).reply
            }
            let plain = try await get(nil)
            #expect(plain.header("content-encoding") == nil && plain.header("vary") == "Accept-Encoding")
            for coding in ["gzip", "br, GZIP;q=0.5", "deflate,gzip ; q=1"] {
                let packed = try await get(coding)
                #expect(
                    packed.header("content-encoding") == "gzip" && packed.body.starts(with: [0x1f, 0x8b]), "\(coding)")
                #expect(packed.body.count * 2 < plain.body.count && packed.header("vary") == "Accept-Encoding")
                #expect(packed.header("content-length") == "\(packed.body.count)")
            }
            for coding in ["", "identity", "br", "gzip;q=0", "gzip;q=0.0", "x-gzip", "gzipped"] {
                let reply = try await get(coding)
                #expect(reply.header("content-encoding") == nil && reply.body == plain.body, "\(coding)")
            }
            // A page has a token. Its length must not tell of it.
            let again = try await browser.get(deployment.origin + "/sign-in", [("Accept-Encoding", "gzip")])
            #expect(again.reply.header("content-encoding") == nil)
        }
    }
}
