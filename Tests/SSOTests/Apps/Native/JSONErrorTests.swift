import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("Errors for programs", .program)
struct JSONErrorTests {
    private static func probes(_ deployment: TestDeployment) -> [HTTPProbe] {
        [deployment.probe(), deployment.clientProbe()]
    }

    private static func check(_ reply: ProbeReply, _ status: Int, _ code: String) throws {
        #expect(reply.status == status)
        #expect(reply.header("content-type") == "application/json")
        let body = try JSONDecoding.value(reply.body)
        #expect(body["error"]?.text == code)
        #expect(body["error_description"]?.text?.isEmpty == false)
    }

    @Test(
        "below /api/ they are JSON, whatever the request accepts", .oneDeployment,
        arguments: ["text/html", "*/*", "application/json"])
    func api(accept: String) async throws {
        let deployment = try TestDeployment.shared()
        for probe in Self.probes(deployment) {
            for path in ["/api/", "/api/nowhere", "/api/v1/nowhere", "/api/v1/session/check/more"] {
                try Self.check(try await probe.get(path, [("Accept", accept)]), 404, "not_found")
            }
        }
        for path in ["/api/session", "/api/v1/session/check"] {
            let reply = try await deployment.clientProbe().post(path, [("Accept", accept)], body: [])
            try Self.check(reply, 405, "invalid_request")
            #expect(reply.header("allow") == "GET, HEAD")
        }
    }

    @Test("elsewhere they are JSON for a request that accepts JSON and no page")
    func accepted() async throws {
        try await TestDeployment.open { deployment in
            for probe in Self.probes(deployment) {
                for accept in ["application/json", "Application/JSON;q=0.9, text/plain", "*/*,application/json"] {
                    try Self.check(try await probe.get("/nowhere", [("Accept", accept)]), 404, "not_found")
                    let post = try await probe.post("/", [("Accept", accept)], body: [])
                    try Self.check(post, 405, "invalid_request")
                    #expect(post.header("allow") == "GET, HEAD")
                }
                for accept in [
                    "text/html", "*/*", "text/html,application/json", "application/json, text/html;q=0.1",
                    "application/jsonp", "application/xhtml+xml",
                ] {
                    let reply = try await probe.get("/nowhere", [("Accept", accept)])
                    #expect(reply.status == 404)
                    #expect(reply.header("content-type") == "text/html; charset=utf-8", "\(accept)")
                }
                #expect(try await probe.get("/apis").header("content-type") == "text/html; charset=utf-8")
            }
        }
    }

    @Test("the description is English for every language, since it is for developers, and has no cause in it")
    func description() async throws {
        try await TestDeployment.open { deployment in
            for probe in Self.probes(deployment) {
                let replies = try await [
                    probe.get("/api/nowhere", [("Accept-Language", "de")]),
                    probe.get("/api/nowhere", [("Accept-Language", "en")]),
                ]
                #expect(replies[0].text == replies[1].text)
                #expect(
                    replies[0].text
                        == #"{"error":"not_found","error_description":"There is nothing at this path."}"#)
            }
        }
    }
}
