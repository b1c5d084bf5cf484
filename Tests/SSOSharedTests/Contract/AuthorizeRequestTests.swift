import Foundation
import Testing

@testable import SSOShared
@testable import TestKit

@Suite("The authorize request", .rules)
struct AuthorizeRequestTests {
    let token = "sst_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

    private func request(_ uri: String, state: String = "xyz", challenge: String? = nil) -> AuthorizeRequest {
        AuthorizeRequest(clientID: "partner", redirectURI: uri, state: state, codeChallenge: challenge)
    }

    @Test("the URL encodes every value completely")
    func url() {
        let request = request("https://rp.example/cb?a=1&b=2", state: "a b+c&d=e%#\"'~")
        #expect(
            request.url(at: "https://idp.example")
                == "https://idp.example/auth/sso/authorize?client_id=partner"
                + "&redirect_uri=https%3A%2F%2Frp.example%2Fcb%3Fa%3D1%26b%3D2&state=a%20b%2Bc%26d%3De%25%23%22%27~")
        #expect(request.url(at: "https://idp.example/") == request.url(at: "https://idp.example"))
    }

    @Test("a challenge is sent with its method")
    func challenge() {
        #expect(
            request("https://rp.example/cb", challenge: "abc").url(at: "http://localhost:8080")
                .hasSuffix("&state=xyz&code_challenge=abc&code_challenge_method=S256"))
    }

    @Test(
        "the callback keeps the redirect URI byte for byte",
        arguments: [
            ("https://rp.example/cb", "https://rp.example/cb?"),
            ("https://rp.example/cb?x=1", "https://rp.example/cb?x=1&"),
            ("https://rp.example/cb?x=%7e&y=a+b", "https://rp.example/cb?x=%7e&y=a+b&"),
            ("https://rp.example/cb?", "https://rp.example/cb?"),
            ("https://rp.example/cb?x=1&", "https://rp.example/cb?x=1&"),
            ("https://rp.example", "https://rp.example?"),
            ("com.example.app:/cb", "com.example.app:/cb?"),
            ("http://localhost:8081/../%2e/cb", "http://localhost:8081/../%2e/cb?"),
        ])
    func callback(_ uri: String, _ beginning: String) throws {
        let request = request(uri, state: "</script>&token=x")
        let token = try #require(SSOToken(wire: token))
        let state = "state=%3C%2Fscript%3E%26token%3Dx"
        #expect(request.callback(token: token.wire) == beginning + "token=\(token.wire)&" + state)
        #expect(
            AuthorizeRequest.errorCallback(
                redirectURI: uri, error: "invalid_request", state: Array("</script>&token=x".utf8))
                == beginning + "error=invalid_request&" + state)
        #expect(
            AuthorizeRequest.errorCallback(redirectURI: uri, error: "invalid_request", state: nil)
                == beginning + "error=invalid_request")
        #expect(
            AuthorizeRequest.errorCallback(
                redirectURI: uri, error: "invalid_request", description: "state is missing", state: [0x61])
                == beginning + "error=invalid_request&error_description=state%20is%20missing&state=a")
    }

    @Test("a state is 1 to 512 bytes of printable ASCII, spaces included")
    func state() {
        for text in ["a", " ", "~", "{\"a\": 1}", String(repeating: "x", count: 512)] {
            #expect(AuthorizeRequest.isValidState(text))
        }
        for text in ["", String(repeating: "x", count: 513), "a\r\nb", "a\u{0}", "a\t", "\u{7f}", "é", "e\u{301}"] {
            #expect(!AuthorizeRequest.isValidState(text))
        }
    }

    @Test("it survives storage")
    func stored() throws {
        for request in [request("https://rp.example/cb"), request("a.b:/c", state: "\"\\", challenge: "abc")] {
            let data = try JSONEncoder().encode(request)
            #expect(try JSONDecoder().decode(AuthorizeRequest.self, from: data) == request)
        }
    }
}
