import Foundation
import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPClients
@testable import IdPOIDC
@testable import IdPTestKit
@testable import TestKit

/// What a published set-up guide of a service needs of its provider: a row of `Tests/Vectors/openid-services.json`. The facts
/// are those of the guides of Authelia and Pocket ID. A row of `public` is registered so because its app needs that.
private struct FieldService: Sendable, CustomTestStringConvertible {
    let name, id, auth, mode, flow, accessToken: String
    let isPublic, needsPrivateHTTP: Bool
    /// Registered, and what a request sends for each of them, where that is something else.
    let redirects, sent: [String]
    let scopes: [String]
    /// Why this service cannot be set up here; nil for one that can.
    let refused: String?

    var testDescription: String { name }

    static let all: [FieldService] = {
        let path = TestVectors.folder.appending(path: "openid-services.json")
        guard let body = try? Data(contentsOf: path) else { return [] }
        return (JSONReader.read(Array(body)).root?.array ?? []).compactMap(FieldService.init)
    }()

    private init?(_ node: JSONNode) {
        func text(_ key: String) -> String? { node[key]?.string }
        func list(_ key: String) -> [String]? { node[key]?.array?.compactMap(\.string) }
        guard let name = text("service"), let id = text("id"), let auth = text("auth"), let mode = text("mode"),
            let flow = text("flow"), let accessToken = text("accessToken"), let client = text("client"),
            let redirects = list("redirects"), !redirects.isEmpty, let scopes = text("scopes")
        else { return nil }
        (self.name, self.id, self.auth, self.mode, self.flow, self.accessToken) = (
            name, id, auth, mode, flow, accessToken
        )
        (isPublic, needsPrivateHTTP) = (client == "public", node["privateHTTP"] != nil)
        (self.redirects, sent) = (redirects, list("sent") ?? redirects)
        (self.scopes, refused) = (scopes.split(separator: " ").map(String.init), text("refused"))
    }

    /// As an operator registers it.
    var file: String {
        let secrets = isPublic ? "" : ", secrets: [\(TestSecret.new())]"
        let uris = redirects.map(JSONText.string).joined(separator: ", ")
        let known = scopes.filter { OIDCScope(rawValue: $0) != nil }.joined(separator: ", ")
        return """
            clients:
              - {id: \(id), name: Service, access: everyone, protocols: [oidc], public: \(isPublic)\(secrets),
                 allow_private_http: \(needsPrivateHTTP), scopes: [\(known)], redirect_uris: [\(uris)]}
            """
    }
}

@Suite("Services of the field", .program)
struct FieldServicesTests {
    private static let methods = ["basic": "client_secret_basic", "post": "client_secret_post", "none": "none"]

    @Test(
        "there are all of them, and few are refused: two for the implicit flow, two of choice, and for readable tokens")
    func count() {
        let services = Set(FieldService.all.map { $0.name.split(separator: ",").first.map(String.init) ?? "" })
        #expect(services.count >= 146, "\(services.count)")
        let refused = Dictionary(grouping: FieldService.all.filter { $0.refused != nil }) { $0.refused ?? "" }
        #expect(Set(refused.keys).isSubset(of: ["implicit", "choice", "readable access token"]), "\(refused.keys)")
        #expect((refused["implicit"] ?? []).count <= 2 && (refused["choice"] ?? []).count <= 2)
        #expect((refused["implicit"] ?? []).allSatisfy { $0.flow != "code" })
        #expect((refused["readable access token"] ?? []).allSatisfy { $0.accessToken == "jwt" })
        #expect(FieldService.all.allSatisfy { $0.refused != nil || $0.flow == "code" && $0.accessToken == "opaque" })
    }

    @Test("id, redirect URIs and scopes of each are accepted as its guide has them", arguments: FieldService.all)
    fileprivate func registered(service: FieldService) throws {
        let read = try ClientsFixture(service.file, in: TemporaryFolder())
        if service.refused == "choice" {
            #expect(read.clients.isEmpty, "\(service.name)")
            return
        }
        #expect(read.problems.isEmpty, "\(read.problems)")
        let client = try #require(read.clients.first)
        #expect(client.id == service.id && service.scopes.contains("openid"))
        for uri in service.sent { #expect(client.hasRedirectURI(uri), "\(uri)") }
    }

    @Test("the discovery document offers what each needs: flow, response mode, scopes and authentication of the client")
    func discovered() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let document = try await deployment.oidcProbe.get(OIDCPath.discovery).json()
            func list(_ member: String) -> [String] { document[member]?.items.compactMap(\.text) ?? [] }
            let modes = Set(list("response_modes_supported") + ["query", "form_post"])
            for service in FieldService.all where service.refused == nil {
                #expect(list("response_types_supported").contains(service.flow), "\(service.name)")
                #expect(modes.contains(service.mode), "\(service.name)")
                let method = Self.methods[service.auth]
                #expect(
                    method.map(list("token_endpoint_auth_methods_supported").contains) ?? (service.auth == "any"),
                    "\(service.name)")
            }
        }
    }
}
