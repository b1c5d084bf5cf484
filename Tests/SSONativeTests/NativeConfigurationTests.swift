import Foundation
import SSONative
import Testing

@testable import TestKit

@Suite("Configuration of an app", .rules)
struct NativeConfigurationTests {
    @Test(
        "A server must be an https origin, or http on localhost",
        arguments: [
            "https://idp.example.com", "https://idp.example.com/", "https://IDP.example.com:8443",
            "http://localhost:8080",
            "http://127.0.0.1", "http://127.0.0.2:8081", "http://[::1]:8080",
        ])
    func servers(text: String) throws {
        let url = try #require(URL(string: text))
        let app = try NativeConfiguration.identityProvider(
            server: url, callback: Apps.callback("com.example.app:/callback"))
        #expect(app.server == WebOrigin(url))
        #expect(LinkPolicy(app).decide(app.startPage) == .webView)
    }

    @Test(
        "Anything else is refused as a server",
        arguments: [
            "http://idp.example.com", "https://idp.example.com/path", "https://idp.example.com/?a",
            "https://a@b.example",
            "https://idp.example.com/#x", "idp.example.com", "ftp://idp.example.com", "https:///",
            "http://localhost.evil.example", "http://127.0.0.1.evil.example", "http://127.evil.example",
            "http://127.0.0.256", "http://127.0.1",
        ])
    func noServers(text: String) throws {
        let url = try #require(URL(string: text))
        #expect(throws: NativeConfigurationError.self) {
            try NativeConfiguration.identityProvider(server: url, callback: Apps.callback("com.example.app:/callback"))
        }
    }

    @Test(
        "A callback cannot have a scheme of the system, user information or a fragment",
        arguments: [
            "http://localhost/callback", "javascript:alert(1)", "intent:/callback", "data:/x", "file:///callback",
            "about:blank",
            "com.example.app:/callback#x", "com.example.app://a@b/callback", "com.example.app:callback",
            "com.example.app:",
            "com.example.app://", "https://", "/callback",
        ])
    func noCallbacks(text: String) throws {
        let (server, callback) = (try #require(URL(string: "https://idp.example.com")), try Apps.callback(text))
        #expect(throws: NativeConfigurationError.self) {
            try NativeConfiguration.identityProvider(server: server, callback: callback)
        }
    }

    @Test("Server and identity provider are two origins, and a method is an id")
    func roles() throws {
        let server = try #require(URL(string: "https://idp.example.com"))
        let callback = try Apps.callback("com.example.app:/callback")
        #expect(throws: NativeConfigurationError.self) {
            try NativeConfiguration.relyingParty(server: server, callback: callback, identityProvider: server)
        }
        #expect(throws: NativeConfigurationError.method("a/b")) {
            try NativeConfiguration.identityProvider(
                server: server, callback: callback, signIn: .browser(method: "a/b"))
        }
    }

    @Test("An origin is written without its default port")
    func origins() throws {
        let texts = [
            "https://A.example:443/x": "https://a.example", "http://[::1]:80": "http://[::1]",
            "https://a:444": "https://a:444",
        ]
        for (text, expected) in texts {
            #expect(WebOrigin(try #require(URL(string: text)))?.description == expected)
        }
    }
}
