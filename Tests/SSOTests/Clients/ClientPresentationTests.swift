import Testing

@testable import Counterparts
@testable import IdPClients
@testable import IdPTestKit
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit

@Suite("The logo and the start page of a client", .program)
struct ClientPresentationTests {
    private struct Shop: TestClient {
        let id = "shop", name = "The Shop", secret = "shop-secret-0123456789abcdef0123456789",
            origin = "http://127.0.0.9:4300"
    }

    private static func file(_ more: String) -> String {
        """
        clients:
          - id: shop
            name: The Shop
            redirect_uris: [http://127.0.0.9:4300/auth/sso/callback]
            secrets: [\(Shop().secret)]
        \(more)
        """
    }

    @Test("the logo's path is relative to the clients file; both keys may be missing")
    func reads() throws {
        let folder = try TemporaryFolder()
        _ = try folder.folder("logos")
        try folder.write(TestImages.svg, to: "logos/shop.svg")
        let read = try ClientsFixture(
            Self.file("    logo: logos/shop.svg\n    start_url: https://shop.example/welcome?from=sso"), in: folder)
        #expect(read.problems == [])
        #expect(read.clients.first?.logo?.kind == .svg)
        #expect(read.clients.first?.startPage() == "https://shop.example/welcome?from=sso")
        let plain = try ClientsFixture(Self.file(""), in: folder)
        #expect(plain.problems == [] && plain.clients.first?.logo == nil)
        #expect(plain.clients.first?.startPage() == "http://127.0.0.9:4300/")
        let absolute = try ClientsFixture(Self.file("    logo: \(folder.path(of: "logos/shop.svg"))"), in: folder)
        #expect(absolute.problems == [])
    }

    @Test(
        "a problem names the file, the line, the key and the client",
        arguments: [
            ("    logo: [a]", "logo must be text", "."), ("    logo: \"\"", "logo must not be empty", "."),
            ("    start_url: /welcome", "start_url of \"shop\": ", "must be a web address"),
            ("    start_url: http://shop.example/", "start_url of \"shop\": ", "must be https"),
            ("    start_url: \"javascript:alert(1)\"", "start_url of \"shop\": ", "must be a web address"),
            ("    start_url: https://ann@shop.example/", "start_url of \"shop\": ", "must be a web address"),
            ("    start_url: {}", "start_url must be text", "."),
        ])
    func problems(_ line: String, _ place: String, _ words: String) throws {
        let read = try ClientsFixture(Self.file(line), in: TemporaryFolder())
        #expect(read.problems.count == 1 && read.clients.isEmpty, "\(read.problems)")
        let problem = try #require(read.problems.first)
        #expect(problem.contains("\(read.path):6: \(place)") && problem.contains(words), "\(problem)")
    }

    @Test(
        "a logo that cannot be used is left out with a warning that names the file, the line and the client",
        arguments: [("missing.svg", "cannot be read"), ("evil.svg", "<script"), ("text.svg", "not an SVG or PNG")])
    func logos(_ logo: String, _ words: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("<svg><script>alert(1)</script></svg>", to: "evil.svg")
        try folder.write("hello", to: "text.svg")
        let read = try ClientsFixture(Self.file("    logo: \(logo)"), in: folder)
        #expect(read.problems == [] && read.clients.first?.id == "shop" && read.clients.first?.logo == nil)
        let warning = read.warnings.first { $0.contains("\(read.path):6: logo of \"shop\": ") }
        #expect(warning?.contains(words) == true && warning?.hasSuffix(" It is left out.") == true, "\(read.warnings)")
    }

    @Test("a loopback start page may be http")
    func loopback() throws {
        let read = try ClientsFixture(Self.file("    start_url: http://127.0.0.1:8081/"), in: TemporaryFolder())
        #expect(read.problems == [] && read.clients.first?.startURL == "http://127.0.0.1:8081/")
    }

    @Test(
        "both are on the pages that name the client, each logo with its size where it is known, and a logo that is opened by its address runs nothing",
        arguments: [(TestImages.svg, ["1", "1"]), (#"<svg xmlns="http://www.w3.org/2000/svg"/>"#, [])])
    func pages(svg: String, size: [String]) async throws {
        let folder = try TemporaryFolder()
        try folder.write(svg, to: "shop.svg")
        let file = Self.file("    logo: shop.svg\n    start_url: https://shop.example/welcome")
        let settings = ["IDP_CLIENTS_FILE": try folder.write(file, to: "clients.yaml")]
        try await TestDeployment.open(settings: settings) { deployment in
            let browser = deployment.browser()
            let asking = try await deployment.asking(by: browser)
            try await asking.guess(asking.code)
            let address = deployment.authorize(Shop(), state: "s")
            let complete = try await browser.get(address)
            let choice = try await browser.follow(browser.get(address + "&prompt=select_account"))
            let body = VerifyRequest(token: try complete.token(), redirectURI: nil, codeVerifier: nil).body()
            #expect(try await deployment.backChannel(body, deployment.signed(body, by: Shop())).status == 200)
            let home = try await browser.get(deployment.origin + "/")
            let sessions = try await browser.get(deployment.origin + "/sessions")
            let out = try await browser.follow(browser.submit(home.page().form(to: "/sign-out"), on: home))

            var logos: Set<String> = []
            for page in [complete, choice, home, sessions, out] {
                let image = try #require(try page.page().tags.first { $0.name == "img" })
                #expect(image["alt"] == "")
                // A tile of the home page has the same place for every logo.
                let sizes = [image["width"], image["height"]].compactMap(\.self)
                if page.address != home.address { #expect(sizes == size, "\(page.address)") }
                logos.insert(image["src"] ?? "")
            }
            #expect(logos.count == 1)
            for page in [home, out] { #expect(try page.page().links.contains("https://shop.example/welcome")) }
            let logo = try await browser.get(deployment.origin + (logos.first ?? ""))
            #expect(logo.status == 200 && logo.text == svg)
            #expect(logo.reply.header("content-type") == "image/svg+xml")
            #expect(logo.reply.header("content-security-policy")?.contains("sandbox") == true)
            #expect(logo.reply.header("cache-control")?.contains("immutable") == true)
        }
    }
}
