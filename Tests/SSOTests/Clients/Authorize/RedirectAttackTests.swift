import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

/// RFC 9700 4.1 and 4.11: the browser gets a redirect to the registered bytes, or a page.
@Suite("Redirect targets", .program)
struct RedirectAttackTests {
    static let addresses = [
        "https://evil.example/cb", "https://rp.example@evil.example/cb", "https://x@rp.example/cb",
        "https://rp.example/cb@@evil.example", #"https://evil.example\@rp.example/cb"#, #"https:\\evil.example/cb"#,
        "//evil.example/cb", #"/\evil.example"#, "///evil.example", "/cb", "cb", "https:rp.example/cb",
        "https://rp.example/cb/../x", "https://rp.example/x/../cb", "https://rp.example/./cb", "https://rp.example//cb",
        "https://rp.example/%2e%2e/cb", "https://rp.example/..;/cb", "https://rp.example/cb%2f..%2fx",
        "https://rp.example.evil.example/cb", "https://evilrp.example/cb", "https://evil.rp.example/cb",
        "https://rp.example/c", "https://rp.example/", "https://rp.example", "https://rp.example/cb/evil",
        "https://rp.example/cb/", "https://rp.example/cb?", "https://rp.example/cb#", "https://rp.example/cb#x",
        "https://rp.example/cb?token=x", "https://rp.example/cb?next=https://evil.example", "https://rp.example/cb;x",
        "https://rp.example/Kiosk", "https://rp.example/Kiosk?id=8", "https://rp.example/Kiosk?id=7&id=8",
        "https://rp.example/\u{212a}iosk?id=7", "https://rp.example/%4Biosk?id=7",
        "HTTPS://rp.example/cb", "https://RP.example/cb", "https://rp.example/CB", "https://rp.example:443/cb",
        "https://rp.example:/cb", "https://rp.example:8443/cb", "https://rp.example./cb", "https://rp.example/%63b",
        "https://rp.ex%61mple/cb", "https://rp\u{3002}example/cb", "https://r\u{440}.example/cb",
        "https://rp.example/cb\u{301}", "https://rp.example/cb\u{200b}", "https://rp.example/c\u{feff}b",
        "\u{ff48}ttps://rp.example/cb", " https://rp.example/cb", "https://rp.example/cb ", "\thttps://rp.example/cb",
        "https://rp.exa\tmple/cb", "https://rp.example/cb\r\nSet-Cookie: x=y", "https://rp.example/cb\n",
        "https://rp.example/cb\u{0}", "https://rp.example\u{0}.evil.example/cb", "http://rp.example/cb",
        "javascript:alert(1)//https://rp.example/cb", "data:text/html,https://rp.example/cb", "myapp://cb",
        "http://localhost/cb", "http://localhost:4100/auth/sso/callback", "http://127.0.0.1/cb", "http://[::1]/cb",
        // Registered and valid, but for another client.
        "http://127.0.0.2:4100/auth/sso/callback",
        String(repeating: "https://rp.example/cb", count: 200),
    ]

    /// The rest of the query after `/auth/sso/authorize?`; U stands for the registered address.
    static let queries = [
        "", "state=s", "client_id=web&state=s", "redirect_uri=U&state=s", "client_id=&redirect_uri=U&state=s",
        "client_id=web&redirect_uri=&state=s", "client_id=none&redirect_uri=U&state=s",
        "client_id=WEB&redirect_uri=U&state=s", "client_id=web%20&redirect_uri=U&state=s",
        "client_id=web%00&redirect_uri=U&state=s", "client_id=web\u{301}&redirect_uri=U&state=s",
        "client_id=partner-1&redirect_uri=U&state=s", "client_id=web&client_id=web&redirect_uri=U&state=s",
        "client_id=web&client_id=partner-1&redirect_uri=U&state=s",
        "client_id=web&redirect_uri=U&redirect_uri=U&state=s",
        "client_id=web&redirect_uri=U&redirect_uri=https://evil.example/&state=s",
        "client_id=web&redirect_uri=https://evil.example/&redirect_uri=U&state=s",
        "client_id=web&redirect_uri=U&%72edirect_uri=https://evil.example/&state=s",
        "client_id=web&redirect_uri[]=U&state=s", "client_id=web&redirect_uri=U&redirect_uri[]=https://evil.example/",
        "client_id[]=web&redirect_uri=U&state=s", "client_id[0]=web&redirect_uri[0]=U&state=s",
        "client_id=web&redirect_uri=U%FF&state=s", "client_id=web&redirect_uri=U%C0%AE&state=s",
        "client_id=web&redirect_uri=U%&state=s", "client_id=web&redirect_uri=U%zz&state=s",
        "client_id=web&redirect_uri.=U&state=s", "client_id=web;redirect_uri=U;state=s",
        "client_id=web&redirect_uri=U&state=s&" + String(repeating: "x=1&", count: 70)
            + "redirect_uri=https://evil.example/",
    ]

    @Test("anything but the registered bytes gives a page: no redirect, no link there, no token, nothing stored")
    func refused() async throws {
        try await TestDeployment.open(settings: WebRelyingParty.settings) { deployment in
            let (ann, visitor) = (try await deployment.signedIn(), deployment.browser())
            let before = (try await deployment.rows(of: "sso_token"), try await deployment.rows(of: "session"))
            let attacks =
                Self.addresses.map { WebRelyingParty.authorize(at: deployment.origin, redirect: $0) }
                + Self.queries.map {
                    let query = $0.replacing("U", with: FormCoding.encode(WebRelyingParty.redirectURI))
                    return "\(deployment.origin)\(SSOPath.authorize)?\(query)"
                }
            for attack in attacks {
                for browser in [ann, visitor] {
                    let visit = try await browser.get(attack)
                    #expect(visit.status == 400, "\(attack)")
                    #expect(visit.reply.all("location") == [] && visit.reply.all("refresh") == [], "\(attack)")
                    #expect(!visit.text.contains("evil") && !visit.text.contains("http"), "\(attack)")
                    #expect(try visit.page().links.allSatisfy { $0.hasPrefix("/") }, "\(attack)")
                }
            }
            #expect(visitor.cookies.isEmpty)
            #expect(try await deployment.rows(of: "sso_token") == before.0)
            #expect(try await deployment.rows(of: "session") == before.1)

            for address in [WebRelyingParty.redirectURI, WebRelyingParty.secondURI] {
                let visit = try await ann.get(WebRelyingParty.authorize(at: deployment.origin, redirect: address))
                #expect(visit.status == 200)
                let link = try #require(try visit.page().link(containing: "token="))
                #expect(link.hasPrefix(address + (address.contains("?") ? "&" : "?") + "token=sst_"))
                #expect(visit.text.contains(WebRelyingParty.name) && visit.text.contains("ann@example.com"))
            }
        }
    }

    @Test("a value longer than any address is not read, and nothing is stored")
    func tooLong() async throws {
        try await TestDeployment.open(settings: WebRelyingParty.settings) { deployment in
            let visitor = deployment.browser()
            for (length, statuses) in [(9_000, [414]), (30_000, [414, 431]), (65_536, [400, 414, 431])] {
                let state = String(repeating: "x", count: length)
                let visit = try await visitor.get(WebRelyingParty.authorize(at: deployment.origin, state: state))
                #expect(statuses.contains(visit.status))
                #expect(visit.reply.all("location") == [])
            }
            #expect(try await deployment.rows(of: "session") == 0)
        }
    }
}
