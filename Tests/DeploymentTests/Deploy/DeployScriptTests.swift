import Foundation
import SSOWeb
import Storage
import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("The scripts of deploy/", .deployment)
struct DeployScriptTests {
    @Test(
        "make-secrets makes four different secrets and the database's address, restricts their folder, and changes nothing the next time"
    )
    func makeSecrets() async throws {
        let folder = try TemporaryFolder()
        let script = folder.path(of: "make-secrets")
        try FileManager.default.copyItem(atPath: Self.path("make-secrets"), toPath: script)
        #expect(try await WellKnownRun.command([script]).code == 0)

        let secrets = folder.path(of: "secrets")
        let names = try FileManager.default.contentsOfDirectory(atPath: secrets).sorted()
        let secretNames = ["database-password", "idp-secret-key", "rp-secret-key", "sso-shared-secret"]
        #expect(names == secretNames.prefix(1) + ["idp-database-url"] + secretNames.dropFirst())
        #expect(try Self.mode(secrets) == 0o700)
        let first = secretNames.map { folder.text(of: "secrets/\($0)") }
        #expect(Set(first).count == 4 && first.allSatisfy { $0.wholeMatch(of: #/[0-9a-f]{64}/#) != nil })
        #expect(
            folder.text(of: "secrets/idp-database-url")
                == "postgres://idp:\(first[0])@postgres/idp?sslrootcert=/trust/trial-ca.pem")

        let again = try await WellKnownRun.command([script])
        #expect(again.code == 0 && again.output.isEmpty)
        #expect(secretNames.map { folder.text(of: "secrets/\($0)") } == first)
    }

    @Test(
        "make-certificates signs for the proxy's names, the mail catcher and a database, and keeps no key of the authority"
    )
    func makeCertificates() async throws {
        let folder = try TemporaryFolder()
        let (proxy, mail, trust) = try (folder.folder("proxy"), folder.folder("mail"), folder.folder("trust"))
        let command = [Self.path("make-certificates"), proxy, mail, trust, "id.localhost", "id.internal"]
        let (own, database) = (try folder.folder("tmp"), try folder.folder("database"))
        let environment = ["TMPDIR": own, "DATABASE_FOLDER": database]
        #expect(try await WellKnownRun.command(command, environment: environment).code == 0)

        for (name, file) in [
            ("id.localhost", proxy), ("id.internal", proxy), ("mailpit", mail), ("postgres", database),
        ] {
            let verify = [
                "openssl", "verify", "-CAfile", "\(trust)/trial-ca.pem", "-verify_hostname", name,
                "\(file)/certificate.pem",
            ]
            #expect(try await WellKnownRun.command(["/usr/bin/env"] + verify).code == 0, "\(name)")
        }
        // The file in SSL_CERT_FILE holds the system's authorities as well.
        let both = folder.text(of: "trust/ca-certificates.crt")
        #expect(both.hasSuffix(folder.text(of: "trust/trial-ca.pem")))
        #expect(both.count > folder.text(of: "trust/trial-ca.pem").count)
        let trusted = try FileManager.default.contentsOfDirectory(atPath: trust).sorted()
        #expect(trusted == ["ca-certificates.crt", "trial-ca.pem"])
        let left = try FileManager.default.contentsOfDirectory(atPath: own)
        #expect(left == [])
        #expect(try Self.mode("\(proxy)/key.pem") == 0o600)

        let before = folder.text(of: "proxy/certificate.pem")
        #expect(try await WellKnownRun.command(command, environment: environment).code == 0)
        #expect(folder.text(of: "proxy/certificate.pem") == before)
        // A database that comes later needs an authority that still has its key.
        try FileManager.default.removeItem(atPath: "\(database)/certificate.pem")
        #expect(try await WellKnownRun.command(command, environment: environment).code == 0)
        #expect(folder.text(of: "proxy/certificate.pem") != before)
    }

    @Test("health exits with 0 for a program that is ready, and with 1 for one that is not ready or not reachable")
    func health() async throws {
        try await TestDeployment.open { deployment in
            let port = String(deployment.port)
            // It waits two seconds for an answer, which a machine that runs other tests may need.
            try await eventually("health finds the program ready") {
                try await WellKnownRun.command([Self.path("health"), port]).code == 0 ? () : nil
            }
            await deployment.database.close()
            let unready = try await WellKnownRun.command([Self.path("health"), port])
            #expect(unready.code == 1)
        }
        let free = String(try FreePort.find())
        let alone = try await WellKnownRun.command([Self.path("health"), free])
        #expect(alone.code == 1)
    }

    @Test("try-systemd reports missing programs with an exit code other than that of a failed check, and runs nothing")
    func tryNeeds() async throws {
        let folder = try TemporaryFolder()
        let run = try await WellKnownRun.command([Self.path("try-systemd"), "--programs", folder.path])
        #expect(run.code == 2 && run.output.isEmpty)
        #expect(run.errors.hasPrefix("try-systemd: there is no program \(folder.path)/idp."))
    }

    private static func path(_ script: String) -> String { DeployTests.folder.appending(path: script).path() }

    private static func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }
}
