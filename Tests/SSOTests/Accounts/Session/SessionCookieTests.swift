import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The session cookie", .program, .alsoOnPostgres)
struct SessionCookieTests {
    /// ASVS 3.3.1 to 3.3.4.
    @Test(
        "its attributes match the public address",
        arguments: [
            ("http://localhost:4000", "idp_session", "; Path=/; HttpOnly; SameSite=Lax"),
            ("https://localhost:4000", "__Host-idp_session", "; Path=/; HttpOnly; SameSite=Lax; Secure"),
        ])
    func flags(publicURL: String, name: String, attributes: String) async throws {
        try await TestDeployment.open(settings: ["IDP_PUBLIC_URL": publicURL]) { deployment in
            let cookies = try await deployment.probe().get("/sign-in").all("set-cookie")
            let cookie = try #require(cookies.first)
            #expect(cookies.count == 1)
            #expect(cookie.hasPrefix("\(name)="))
            #expect(cookie.hasSuffix(attributes))
            let value = cookie.dropFirst(name.count + 1).prefix { $0 != ";" }
            #expect(cookie == "\(name)=\(value)\(attributes)", "no other attribute, in particular no Domain")
            #expect(Base64URL.decode(value)?.count == 32, "256 bits (ASVS 7.2.3)")
        }
    }

    @Test("over https a cookie without the prefix is ignored: a sibling domain could have set it")
    func prefix() async throws {
        try await TestDeployment.open(settings: ["IDP_PUBLIC_URL": "https://localhost:4000"]) { deployment in
            let given = try #require(try await deployment.probe().get("/sign-in").header("set-cookie"))
            let value = given.drop { $0 != "=" }.dropFirst().prefix { $0 != ";" }
            let plain = try await deployment.probe().get("/sign-in", [("Cookie", "idp_session=\(value)")])
            #expect(plain.header("set-cookie")?.contains(value) == false)
            let right = try await deployment.probe().get("/sign-in", [("Cookie", "__Host-idp_session=\(value)")])
            #expect(right.status == 200 && right.header("set-cookie") == nil)
        }
    }

    @Test(
        "no answer sets the id that its request has brought: it may arrive after that of another tab, whose sign-in has replaced the session"
    )
    func brought() async throws {
        try await TestDeployment.open(settings: ProgramPaths.everyFeature) { deployment in
            let browser = deployment.browser()
            let form = try await browser.beginSignIn(at: deployment.client)
            let authorize = deployment.authorize(deployment.client, state: "another tab")
            let pages = try await deployment.servedByIdP().pages()
            for target in try [form.address, WebAddress(authorize)] + pages.map({ try form.address.resolving($0) }) {
                let visit = try await browser.get(target)
                #expect(!visit.reply.all("set-cookie").contains { $0.hasPrefix("idp_session=") }, "\(target.target)")
            }
            let wrong = try await browser.submit(form.page().form(with: "email"), on: form, ["email": "ann"])
            #expect(wrong.status == 422 && wrong.reply.all("set-cookie") == [])
            let visitor = deployment.browser()
            _ = try await visitor.get(form.address.resolving("/sign-in"))
            #expect(visitor.session != nil, "a visitor gets one")
        }
    }

    /// Cookie tossing: a sibling domain sets a second cookie of the same name.
    @Test("two cookies of the name count as none, in any order and header")
    func doubled() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let mine = "idp_session=\(browser.session ?? "")"
            let theirs = "idp_session=\(String(repeating: "A", count: 43))"
            let doubled: [HTTPProbe.Headers] = [
                [("Cookie", "\(mine); \(theirs)")], [("Cookie", "\(theirs); \(mine)")],
                [("Cookie", "\(mine); \(mine)")],
                [("Cookie", mine), ("Cookie", theirs)], [("Cookie", theirs), ("Cookie", mine)],
            ]
            for headers in doubled {
                let reply = try await deployment.probe().get("/", headers)
                #expect(reply.status == 303 && reply.header("location") == "/sign-in", "\(headers)")
            }
            let reply = try await deployment.probe().get("/", [("Cookie", "a=b; \(mine); IDP_SESSION=x")])
            #expect(reply.text.contains("ann@example.com"))
        }
    }

    /// authentik CVE-2026-25748: a malformed cookie led past the check.
    @Test(
        "a request with a malformed cookie is a visitor's, never an error",
        .oneDeployment,
        arguments: [
            "", "=", ";", ";;;", "idp_session", "idp_session=", "idp_session==", "idp_session=%00", "idp_session=AAAA",
            "idp_session=\(String(repeating: "A", count: 42))", "idp_session=\(String(repeating: "A", count: 44))",
            "idp_session=\(String(repeating: "=", count: 43))", "idp_session=\(String(repeating: "B", count: 43))",
            "idp_session=\"\(String(repeating: "A", count: 43))\"", "idp_session=\(String(repeating: "é", count: 43))",
            "idp_session=null", "idp_session=' OR 1=1 --", "idp_session=\(String(repeating: "A", count: 8000))",
        ])
    func malformed(cookie: String) async throws {
        let deployment = try TestDeployment.shared()
        let home = try await deployment.probe().get("/", [("Cookie", cookie)])
        #expect(home.status == 303 && home.header("location") == "/sign-in")
        let form = try await deployment.probe().get("/sign-in", [("Cookie", cookie)])
        #expect(form.status == 200)
        #expect(form.all("set-cookie").count == 1)
    }

    @Test("the store holds the hash of an id, and no column holds the id")
    func hashed() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let id = try #require(browser.session)
            #expect(try await deployment.stored.sessions.signedIn.digests() == [SHA256.hash(Array(id.utf8))])
            #expect(try await deployment.stored.tables(holding: id).isEmpty)
            #expect(!deployment.log.contains(id))
        }
    }
}
