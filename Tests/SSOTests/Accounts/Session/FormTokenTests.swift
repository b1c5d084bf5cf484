import ProbeKit
import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

/// ASVS 3.5.1: two independent checks, each enough to refuse.
@Suite("Forms of other sites are refused", .program, .alsoOnPostgres)
struct FormTokenTests {
    /// The defect of a forged form.
    enum Forgery: String, CaseIterable, Sendable {
        case noToken, emptyToken, tokenOfAnotherSession, tokenCutShort, tokenTwice, sessionIDAsToken
        case evilOrigin, nullOrigin, otherPort, otherScheme, originInOtherCase, twoOrigins
        case crossSite, sameSite, crossSiteBesideSameOrigin, noCookie
        case nullOriginCrossSite, nullOriginSameSite, nullOriginNone, nullOriginTwoSites, nullBesideEvil
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
        case .nullOriginCrossSite: [("Origin", "null"), ("Sec-Fetch-Site", "cross-site")]
        case .nullOriginSameSite: [("Origin", "null"), ("Sec-Fetch-Site", "same-site")]
        case .nullOriginNone: [("Origin", "null"), ("Sec-Fetch-Site", "none")]
        case .nullOriginTwoSites:
            [("Origin", "null"), ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "same-origin")]
        case .nullBesideEvil:
            [("Origin", "null"), ("Origin", "https://evil.example"), ("Sec-Fetch-Site", "same-origin")]
        default: [ownOrigin, ("Sec-Fetch-Site", "same-origin")]
        }
    }

    /// Posts the form as the attacker would, and returns whether it was refused.
    private static func isRefused(
        _ forgery: Forgery, _ path: String, _ fields: [(String, String)], token: String, foreign: String,
        session: String, _ deployment: TestDeployment
    ) async throws -> Bool {
        var headers = Self.headers(forgery) + [("Content-Type", "application/x-www-form-urlencoded")]
        if forgery != .noCookie { headers.append(("Cookie", "idp_session=\(session)")) }
        let body = FormCoding.encode(
            Self.token(forgery, right: token, foreign: foreign, session: session) + fields)
        let reply = try await deployment.probe().post(path, headers, body: Array(body.utf8))
        // Without a session a forged form gains nothing: a redirect to the start counts as well as an error page.
        if forgery == .noCookie { return reply.status == 403 || reply.status == 303 && reply.all("set-cookie").isEmpty }
        return reply.status == 403 && reply.all("set-cookie").isEmpty
    }

    @Test("of the sign-in forms", arguments: Forgery.allCases)
    func signIn(forgery: Forgery) async throws {
        try await TestDeployment.open { deployment in
            let visitor = deployment.browser()
            let foreign = try await visitor.get(deployment.origin + "/sign-in").formToken()
            let browser = deployment.browser()
            let form = try await browser.get(deployment.origin + "/sign-in")
            #expect(
                try await Self.isRefused(
                    forgery, "/sign-in", [("email", "ann@example.com")], token: form.formToken(), foreign: foreign,
                    session: #require(browser.session), deployment))
            #expect(try await deployment.rows(of: "challenge") == 0)

            let asking = try await deployment.asking(by: browser)
            #expect(
                try await Self.isRefused(
                    forgery, "/sign-in/code", [("code", asking.code)], token: asking.waiting.formToken(),
                    foreign: foreign,
                    session: #require(browser.session), deployment))
            #expect(try await deployment.stored.challenges.tries() == 0)
            #expect(try await asking.guess(asking.code).status == 303)
        }
    }

    @Test("of the forms of a signed-in user", arguments: Forgery.allCases)
    func signedIn(forgery: Forgery) async throws {
        try await TestDeployment.open { deployment in
            let foreign = try await deployment.browser().get(deployment.origin + "/sign-in").formToken()
            let browser = try await deployment.signedIn()
            let home = try await browser.get(deployment.origin + "/")
            let (token, session) = (try home.formToken(), try #require(browser.session))
            for (path, fields) in [("/name", [("name", "Mallory")]), ("/sign-out", [])] {
                #expect(
                    try await Self.isRefused(
                        forgery, path, fields, token: token, foreign: foreign, session: session, deployment), "\(path)")
            }
            let after = try await browser.get(deployment.origin + "/")
            #expect(after.text.contains("value=\"ann\"") && !after.text.contains("Mallory"))
            #expect(try await browser.rename(at: deployment, to: "Ann Lee").status == 303)
        }
    }

    @Test("a form from before a sign-in is expired after it")
    func oldForm() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            let before = try asking.waiting.formToken()
            try await asking.guess(asking.code)
            let fields = [("form_token", before), ("name", "Mallory")]
            let refused = try await asking.browser.post(WebAddress(deployment.origin + "/name"), fields)
            #expect(refused.status == 403)
            #expect(try refused.page().links.contains("/"))
        }
    }

    @Test(
        "body types other than forms are refused",
        .oneDeployment, arguments: ["text/plain", "application/json", "multipart/form-data", ""])
    func types(type: String) async throws {
        let deployment = try TestDeployment.shared()
        let browser = try await deployment.signedIn(as: deployment.newAddress())
        let token = try await browser.get(deployment.origin + "/").formToken()
        let headers: HTTPProbe.Headers = [("Cookie", "idp_session=\(browser.session ?? "")"), Self.ownOrigin]
        let body = Array(FormCoding.encode([("form_token", token)]).utf8)
        let typed = type.isEmpty ? headers : headers + [("Content-Type", type)]
        #expect(try await deployment.probe().post("/sign-out", typed, body: body).status == 415)
        #expect(try await browser.isSignedInOnHomePage(of: deployment))
    }
}
