import Foundation
import ProbeKit
import SQLiteStorage

@testable import Counterparts
@testable import IdPSchema
@testable import TestKit
@testable import WebTestKit

/// One client of a deployment, and its process.
struct ClientProcess: Sendable {
    let id: String
    let name: String
    let secret: String
    /// Its public address. Every client has its own loopback host: browsers share cookies among the ports of one
    /// host.
    let origin: String
    let process: ProgramProcess

    var host: String { process.host }
}

/// An IdP and its clients as real processes, with fresh secrets, free ports and databases in a folder of their own.
final class ProcessDeployment: Sendable {
    enum Mail: Sendable {
        /// The outbox folder of local development.
        case outbox
        /// A real mail server.
        case smtp(SMTPServer)
    }

    let folder: TemporaryFolder
    /// The IdP's public address.
    let origin: String
    /// The processes that serve it, all on one database. The first one listens at the public address.
    let idps: [ProgramProcess]
    let clients: [ClientProcess]
    let mailbox: Mailbox
    /// Every value that must never be in a log.
    let secrets: [String]

    var idp: ProgramProcess { idps[0] }
    var databasePath: String { folder.path(of: "idp.sqlite") }

    /// - Parameters:
    ///   - settings: further settings of every IdP process, which override the ones made here.
    init(
        clients count: Int = 1, idps idpCount: Int = 1, mail: Mail = .outbox, settings: [String: String] = [:],
        clientSettings: [String: String] = [:]
    ) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        let port = try FreePort.find()
        let origin = "http://localhost:\(port)"
        self.origin = origin
        let idpKey = TestSecret.new()
        clients = try (0..<count).map { index in
            try Self.client(index, idp: origin, folder: folder, settings: clientSettings)
        }
        var environment = [
            "IDP_PUBLIC_URL": origin, "IDP_DATABASE_URL": "sqlite:\(folder.path(of: "idp.sqlite"))",
            "IDP_SECRET_KEY": idpKey, "IDP_MAIL_FROM": "Main App <sign-in@main.example>",
            "IDP_ALLOWED_EMAILS": "*@example.com",
        ]
        switch mail {
        case .outbox:
            mailbox = Mailbox(folder: try folder.folder("outbox"))
            environment["IDP_MAIL_URL"] = "outbox:\(mailbox.folder)"
        case .smtp(let server):
            mailbox = server.mailbox
            environment["IDP_MAIL_URL"] = server.url
        }
        environment.merge(try Self.register(clients, in: folder)) { $1 }
        environment.merge(settings) { $1 }
        idps = try (0..<idpCount).map { index in
            let own = index == 0 ? port : try FreePort.find()
            let settings = environment.merging(["IDP_LISTEN": "127.0.0.1:\(own)"]) { $1 }
            return ProgramProcess("idp", environment: settings, port: own, folder: folder)
        }
        secrets = [idpKey] + clients.map(\.secret)
    }

    /// Starts everything and waits until it is ready.
    func start() async throws {
        for process in idps + clients.map(\.process) { try await process.start() }
    }

    /// Stops everything that runs, with SIGTERM.
    func stop() async throws {
        for process in clients.map(\.process) + idps where process.pid != nil { try await process.terminate() }
    }

    /// Sends a browser's requests for the public address to the process number `index`.
    func routes(to index: Int) -> [String: UInt16] { [origin: idps[index].port] }

    private static func client(
        _ index: Int, idp: String, folder: TemporaryFolder, settings: [String: String]
    ) throws -> ClientProcess {
        let host = "127.0.0.\(index + 2)"
        let port = try FreePort.find(on: host)
        let (origin, id, secret) = ("http://\(host):\(port)", "partner-\(index + 1)", TestSecret.new())
        let environment = [
            "RP_PUBLIC_URL": origin, "RP_LISTEN": "\(host):\(port)", "RP_SECRET_KEY": TestSecret.new(),
            "RP_DATABASE_URL": "sqlite:\(folder.path(of: "\(id).sqlite"))", "RP_IDP_URL": idp,
            "SSO_CLIENT_ID": id, "SSO_SHARED_SECRET": secret,
        ].merging(settings) { $1 }
        let process = ProgramProcess("relying-party", environment: environment, host: host, port: port, folder: folder)
        return ClientProcess(
            id: id, name: "Partner number \(index + 1)", secret: secret, origin: origin, process: process)
    }

    /// One client from the environment, several from the file: this tests both ways to register.
    private static func register(_ clients: [ClientProcess], in folder: TemporaryFolder) throws -> [String: String] {
        if clients.count == 1 {
            return [
                "SSO_CLIENT_ID": clients[0].id, "SSO_CLIENT_NAME": clients[0].name,
                "SSO_REDIRECT_URIS": clients[0].callback, "SSO_SHARED_SECRET": clients[0].secret,
            ]
        }
        var (file, settings) = ("clients:\n", [String: String]())
        for (index, client) in clients.enumerated() {
            file += """
                  - id: \(client.id)
                    name: \(client.name)
                    redirect_uris: [\(client.callback)]
                    secrets: ["env:PARTNER_SECRET_\(index)"]
                    access: everyone

                """
            settings["PARTNER_SECRET_\(index)"] = client.secret
        }
        settings["IDP_CLIENTS_FILE"] = try folder.write(file, to: "clients.yaml")
        return settings
    }
}

extension ProcessDeployment {
    /// Opens the rows of the IdP's file, beside its processes.
    func stored<Value>(_ body: (StoredRows) async throws -> Value) async throws -> Value {
        let database = try await SQLiteDatabase(path: databasePath, migrations: IdPMigrations.all)
        let value = try await body(database.stored)
        await database.close()
        return value
    }
}
