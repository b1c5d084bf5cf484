import SSOShared
import Testing

/// ASVS 3.5.1: two independent proofs, each enough to refuse.
@Suite("Forms of other sites are refused")
struct FormTokenTests {
    /// What is wrong with a forged form.
    enum Forgery: String, CaseIterable, Sendable {
        case noToken, emptyToken, tokenOfAnotherSession, tokenCutShort, tokenTwice, sessionIDAsToken
        case evilOrigin, nullOrigin, otherPort, otherScheme, originInOtherCase, twoOrigins
        case crossSite, sameSite, crossSiteBesideSameOrigin, noCookie
    }

    private static let ownOrigin = ("Origin", "http://localhost:4000")

    private static func token(_ forgery: Forgery, right: String, foreign: String, session: String) -> [(String, String)]
    {
        switch forgery {
        case .noToken: []
        case .emptyToken: [("form_token", "")]
        case .tokenOfAnotherSession: [("form_token", foreign)]
        case .tokenCutShort: [("form_token", String(right.dropLast(1)))]
        case .tokenTwice: [("form_token", right), ("form_token", right)]
        case .sessionIDAsToken: [("form_token", session)]
        default: [("form_token", right)]
        }
    }

    private static func headers(_ forgery: Forgery) -> HTTPProbe.Headers {
        switch forgery {
        case .evilOrigin: [("Origin", "https://evil.example")]
        case .nullOrigin: [("Origin", "null")]
        case .otherPort: [("Origin", "http://localhost:4001")]
        case .otherScheme: [("Origin", "https://localhost:4000")]
        case .originInOtherCase: [("Origin", "http://LOCALHOST:4000")]
        case .twoOrigins: [ownOrigin, ("Origin", "https://evil.example")]
        case .crossSite: [ownOrigin, ("Sec-Fetch-Site", "cross-site")]
        case .sameSite: [("Sec-Fetch-Site", "same-site")]
        case .crossSiteBesideSameOrigin: [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site")]
        default: [ownOrigin, ("Sec-Fetch-Site", "same-origin")]
        }
    }

    /// Posts the form as the forger would, and says whether it was refused.
    private static func isRefused(
        _ forgery: Forgery, _ path: String, _ fields: [(String, String)], token: String, foreign: String,
        session: String, _ house: House
    ) async throws -> Bool {
        var headers = Self.headers(forgery) + [("Content-Type", "application/x-www-form-urlencoded")]
        if forgery != .noCookie { headers.append(("Cookie", "idp_session=\(session)")) }
        let body = FormCoding.encode(
            Self.token(forgery, right: token, foreign: foreign, session: session) + fields)
        let reply = try await house.probe().post(path, headers, body: Array(body.utf8))
        // Without a session there is nothing to forge with: a way to the start does as well as an error page.
        if forgery == .noCookie { return reply.status == 403 || reply.status == 303 && reply.all("set-cookie").isEmpty }
        return reply.status == 403 && reply.all("set-cookie").isEmpty
    }

    @Test("of the sign-in forms", arguments: Forgery.allCases)
    func signIn(forgery: Forgery) async throws {
        try await House.open { house in
            let stranger = house.visitor()
            let foreign = try await stranger.get(house.origin + "/sign-in").formToken()
            let visitor = house.visitor()
            let form = try await visitor.get(house.origin + "/sign-in")
            #expect(
                try await Self.isRefused(
                    forgery, "/sign-in", [("email", "ann@example.com")], token: form.formToken(), foreign: foreign,
                    session: #require(visitor.session), house))
            #expect(try await house.count("SELECT COUNT(*) FROM challenge") == 0)

            let asking = try await house.asking(by: visitor)
            #expect(
                try await Self.isRefused(
                    forgery, "/sign-in/code", [("code", asking.code)], token: asking.waiting.formToken(),
                    foreign: foreign,
                    session: #require(visitor.session), house))
            #expect(try await house.count("SELECT SUM(tries) FROM challenge") == 0)
            #expect(try await asking.guess(asking.code).status == 303)
        }
    }

    @Test("of the forms of somebody who is signed in", arguments: Forgery.allCases)
    func signedIn(forgery: Forgery) async throws {
        try await House.open { house in
            let foreign = try await house.visitor().get(house.origin + "/sign-in").formToken()
            let visitor = try await house.signedIn()
            let home = try await visitor.get(house.origin + "/")
            let (token, session) = (try home.formToken(), try #require(visitor.session))
            for (path, fields) in [("/name", [("name", "Mallory")]), ("/sign-out", [])] {
                #expect(
                    try await Self.isRefused(
                        forgery, path, fields, token: token, foreign: foreign, session: session, house), "\(path)")
            }
            let after = try await visitor.get(house.origin + "/")
            #expect(after.text.contains("Hello ann<"))
            #expect(try await HomePageTests.rename(visitor, of: house, to: "Ann Lee").status == 303)
        }
    }

    @Test("a form from before a sign-in is out of date after it")
    func oldForm() async throws {
        try await House.open { house in
            let asking = try await house.asking()
            let before = try asking.waiting.formToken()
            try await asking.guess(asking.code)
            let fields = [("form_token", before), ("name", "Mallory")]
            let refused = try await asking.visitor.post(WebAddress(house.origin + "/name"), fields)
            #expect(refused.status == 403)
            #expect(try refused.page().links.contains("/"))
        }
    }

    @Test(
        "other types of body than forms are refused",
        arguments: ["text/plain", "application/json", "multipart/form-data", ""])
    func types(type: String) async throws {
        try await House.open { house in
            let visitor = try await house.signedIn()
            let token = try await visitor.get(house.origin + "/").formToken()
            let headers: HTTPProbe.Headers = [("Cookie", "idp_session=\(visitor.session ?? "")"), Self.ownOrigin]
            let body = Array(FormCoding.encode([("form_token", token)]).utf8)
            let typed = type.isEmpty ? headers : headers + [("Content-Type", type)]
            #expect(try await house.probe().post("/sign-out", typed, body: body).status == 415)
            #expect(try await visitor.isKnownAtHome(of: house))
        }
    }
}

extension Visit {
    /// The token in the page's first form.
    func formToken() throws -> String {
        guard let token = try page().forms.first?["form_token"] else {
            throw ProbeFailure("no form token at \(address.absolute) (\(status))")
        }
        return token
    }
}
