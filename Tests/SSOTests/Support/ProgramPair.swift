import Foundation

/// One partner service of a pair, and the process that is it.
struct Partner: Sendable {
    let id: String
    let name: String
    let secret: String
    /// Its public address. Every partner has a loopback host of its own: browsers share cookies among the ports of one
    /// host.
    let origin: String
    let process: ProgramProcess

    var host: String { process.host }
}

/// An IdP and its partners as real processes, with fresh secrets, free ports and databases in a folder of their own.
final class ProgramPair: Sendable {
    enum Mail: Sendable {
        /// The folder of the local trial.
        case outbox
        /// A real mail server.
        case smtp(SMTPServer)
    }

    let folder: TemporaryFolder
    /// The IdP's public address.
    let origin: String
    /// The processes that answer for it, all on one database. The first one listens at the public address.
    let idps: [ProgramProcess]
    let partners: [Partner]
    let letters: Letters
    /// Everything that must never be seen in a log.
    let secrets: [String]

    var idp: ProgramProcess { idps[0] }
    var databasePath: String { folder.path(of: "idp.sqlite") }

    /// - Parameters:
    ///   - settings: further settings of every IdP process, over the ones made here.
    init(
        partners count: Int = 1, idps idpCount: Int = 1, mail: Mail = .outbox, settings: [String: String] = [:],
        partnerSettings: [String: String] = [:]
    ) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        let port = try FreePort.find()
        let origin = "http://localhost:\(port)"
        self.origin = origin
        let idpKey = Self.secret()
        partners = try (0..<count).map { index in
            try Self.partner(index, idp: origin, folder: folder, settings: partnerSettings)
        }
        var environment = [
            "IDP_PUBLIC_URL": origin, "IDP_DATABASE_URL": "sqlite:\(folder.path(of: "idp.sqlite"))",
            "IDP_SECRET_KEY": idpKey, "IDP_MAIL_FROM": "Main App <sign-in@main.example>",
            "IDP_ALLOWED_EMAILS": "*@example.com",
        ]
        switch mail {
        case .outbox:
            letters = Letters(folder: try folder.folder("outbox"))
            environment["IDP_MAIL_URL"] = "outbox:\(letters.folder)"
        case .smtp(let server):
            letters = server.letters
            environment["IDP_MAIL_URL"] = server.url
        }
        environment.merge(try Self.register(partners, in: folder)) { $1 }
        environment.merge(settings) { $1 }
        idps = try (0..<idpCount).map { index in
            let own = index == 0 ? port : try FreePort.find()
            let settings = environment.merging(["IDP_LISTEN": "127.0.0.1:\(own)"]) { $1 }
            return ProgramProcess("idp", environment: settings, port: own, folder: folder)
        }
        secrets = [idpKey] + partners.map(\.secret)
    }

    /// Starts everything and waits until it is ready.
    func start() async throws {
        for process in idps + partners.map(\.process) { try await process.start() }
    }

    /// Stops everything that runs, politely.
    func stop() async throws {
        for process in partners.map(\.process) + idps where process.pid != nil { try await process.terminate() }
    }

    /// Sends a visitor's requests for the public address to the process number `index`.
    func routes(to index: Int) -> [String: UInt16] { [origin: idps[index].port] }

    /// 32 fresh random bytes in hex.
    static func secret() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    private static func partner(
        _ index: Int, idp: String, folder: TemporaryFolder, settings: [String: String]
    ) throws -> Partner {
        let host = "127.0.0.\(index + 2)"
        let port = try FreePort.find(on: host)
        let (origin, id, secret) = ("http://\(host):\(port)", "partner-\(index + 1)", secret())
        let environment = [
            "RP_PUBLIC_URL": origin, "RP_LISTEN": "\(host):\(port)", "RP_SECRET_KEY": Self.secret(),
            "RP_DATABASE_URL": "sqlite:\(folder.path(of: "\(id).sqlite"))", "RP_IDP_URL": idp,
            "SSO_CLIENT_ID": id, "SSO_SHARED_SECRET": secret,
        ].merging(settings) { $1 }
        let process = ProgramProcess("relying-party", environment: environment, host: host, port: port, folder: folder)
        return Partner(id: id, name: "Partner number \(index + 1)", secret: secret, origin: origin, process: process)
    }

    /// One partner straight from the environment, several by the file: both ways to register are in use.
    private static func register(_ partners: [Partner], in folder: TemporaryFolder) throws -> [String: String] {
        if partners.count == 1 {
            return [
                "SSO_CLIENT_ID": partners[0].id, "SSO_CLIENT_NAME": partners[0].name,
                "SSO_REDIRECT_URIS": partners[0].callback, "SSO_SHARED_SECRET": partners[0].secret,
            ]
        }
        var (file, settings) = ("clients:\n", [String: String]())
        for (index, partner) in partners.enumerated() {
            file += """
                  - id: \(partner.id)
                    name: \(partner.name)
                    redirect_uris: [\(partner.callback)]
                    secrets: ["env:PARTNER_SECRET_\(index)"]

                """
            settings["PARTNER_SECRET_\(index)"] = partner.secret
        }
        settings["IDP_CLIENTS_FILE"] = try folder.write(file, to: "clients.yaml")
        return settings
    }
}
