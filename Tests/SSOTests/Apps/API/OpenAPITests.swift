import Hummingbird
import SQLiteStorage
import Testing

@testable import IdPDevPages
@testable import IdPMail
@testable import IdPSchema
@testable import IdPServer
@testable import IdPTestKit
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("docs/openapi.yaml", .program, .alsoOnPostgres)
struct OpenAPITests {
    @Test("it has every route below /api/v1, and no other")
    func routes() async throws {
        let folder = try TemporaryFolder()
        let database = try await SQLiteDatabase(path: folder.path(of: "idp.sqlite"), migrations: IdPMigrations.all)
        let settings = try TestDeployment.readIdPSettings(
            SettingsFixture.idp.merging(["IDP_MAIL_URL": "outbox:\(try folder.folder("outbox"))"]) { $1 })
        let services = IdPServices(
            ProgramServices(database: database, clock: TestClock().clock, logger: CapturedLog().logger("idp")),
            mailer: OutboxMailer(folder: folder.path(of: "outbox")),
            devPages: try DevPages(randomness: SystemRandomness()))
        var paths: Set<String> = []
        _ = try buildIdP(
            settings: settings, services: services,
            inspecting: { router, _ in paths = Set(router.routes.map(\.path.description)) })
        await database.close()
        let document = try OpenAPIDocument()
        #expect(Set(document.operations.keys) == paths.filter { $0.hasPrefix("/api/") })
    }

    @Test("it has every method of a path: any other is 405, and Allow says the same")
    func methods() async throws {
        try await TestDeployment.open { deployment in
            let app = deployment.jsonApp()
            for (path, methods) in try OpenAPIDocument().operations {
                let below = path.replacing("/api/v1", with: "").replacing("{id}", with: "dev_x")
                for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"] {
                    let reply = try await app.send(method, below)
                    #expect((reply.status == 405) == !methods.contains(method), "\(method) \(path)")
                    #expect(reply.status != 404, "\(method) \(path)")
                    guard reply.status == 405 else { continue }
                    let allowed = reply.header("allow")?.split(separator: ", ").map(String.init) ?? []
                    #expect(Set(allowed) == methods, "\(method) \(path)")
                }
            }
        }
    }

    @Test("its examples fit its schemas")
    func examples() throws {
        let found = try OpenAPIDocument().problemsOfExamples()
        #expect(found.isEmpty, "\(found)")
    }

    @Test("it describes every answer of a user's way through the interface")
    func answers() async throws {
        try await TestDeployment.open { deployment in
            let document = try OpenAPIDocument()
            func expect(_ reply: ProbeReply, _ status: Int, _ method: String, _ path: String) throws {
                #expect(reply.status == status, "\(method) \(path): \(reply.text)")
                let found = try document.problems(reply, method, "/api/v1" + path)
                #expect(found.isEmpty, "\(found)")
            }
            let app = deployment.jsonApp()
            let begin = try #require(document.example("POST", "/api/v1/sign-in"))
            let begun = try await app.send("POST", "/sign-in", begin)
            try expect(begun, 202, "POST", "/sign-in")
            try expect(try await app.send("POST", "/sign-in", [:]), 400, "POST", "/sign-in")
            try expect(try await app.raw("POST", "/sign-in"), 415, "POST", "/sign-in")
            let large: JSONValue = .object(["email": .string(String(repeating: "x", count: 9_000))])
            try expect(try await app.send("POST", "/sign-in", large), 413, "POST", "/sign-in")
            let code = try #require(document.example("POST", "/api/v1/sign-in/code"))
            try expect(try await app.send("POST", "/sign-in/code", code), 401, "POST", "/sign-in/code")
            let challenge = try begun.json()["challenge"]?.text ?? ""
            let digits = try await deployment.mailbox.code(to: "ann@example.com")
            try expect(try await app.finish(challenge, digits), 200, "POST", "/sign-in/code")
            for path in ["/session", "/session/check", "/me", "/devices", "/identities"] {
                try expect(try await app.authorized("GET", path), 200, "GET", path)
                try expect(try await app.send("GET", path, token: "stale"), 401, "GET", path)
                let foreign = [("Sec-Fetch-Site", "cross-site")]
                try expect(try await app.send("GET", path, headers: foreign), 403, "GET", path)
            }
            try expect(try await app.send("GET", "/session"), 200, "GET", "/session")
            for path in ["/identities", "/identities/tickets"] {
                let example = try #require(document.example("POST", "/api/v1" + path))
                try expect(try await app.send("POST", path, example, token: app.token), 400, "POST", path)
                try expect(try await app.send("POST", path, example), 401, "POST", path)
                try expect(try await app.send("POST", path, [:], token: app.token), 400, "POST", path)
                let cut = try await app.raw("POST", path, [("Authorization", "Bearer \(app.token ?? "")")])
                try expect(cut, 415, "POST", path)
            }
            try expect(try await app.authorized("DELETE", "/devices"), 204, "DELETE", "/devices")
            let unknown = try await app.authorized("DELETE", "/devices/dev_x")
            #expect(unknown.status == 404)
            #expect(try document.problems(unknown, "DELETE", "/api/v1/devices/{id}").isEmpty)
            try expect(try await app.authorized("DELETE", "/session"), 204, "DELETE", "/session")
        }
    }
}
