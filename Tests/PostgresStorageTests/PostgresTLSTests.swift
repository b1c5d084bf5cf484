import Foundation
import Glibc
import Logging
import Storage
import Testing

@testable import PostgresStorage
@testable import TestKit
@testable import WebTestKit

/// A real server that offers TLS with a certificate of the test, asked with `sslmode=verify-full`.
@Suite("TLS to PostgreSQL", .deployment)
struct PostgresTLSTests {
    /// The settings of a server with a certificate, on a port of its own.
    private struct Certificate {
        let folder: TemporaryFolder
        let port: UInt16

        init(_ name: String, of ca: TestCA) throws {
            (folder, port) = (try TemporaryFolder(), try FreePort.find())
            chmod(folder.path, 0o755)
            for end in ["pem", "key"] {
                try FileManager.default.copyItem(
                    atPath: ca.path("\(name).\(end)"), toPath: folder.path(of: "server.\(end)"))
            }
            // PostgreSQL takes no key that others may read, and does not run as root.
            chmod(folder.path(of: "server.key"), 0o600)
            if geteuid() == 0, let user = getpwnam("nobody") {
                chown(folder.path(of: "server.key"), user.pointee.pw_uid, user.pointee.pw_gid)
            }
        }

        func settings(tls: Bool) -> [String] {
            let files = [
                "ssl=on", "ssl_cert_file=\(folder.path(of: "server.pem"))",
                "ssl_key_file=\(folder.path(of: "server.key"))",
            ]
            return ["listen_addresses=127.0.0.1", "port=\(port)"] + (tls ? files : [])
        }
    }

    private static func words(_ port: UInt16, _ rest: String) async throws -> String {
        let address = try PostgresAddress(
            "postgres://postgres:S3CRET@127.0.0.1:\(port)/postgres?\(rest)", allowsPlaintext: false, readers: 1,
            program: "test")
        do throws(DatabaseError) {
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            await (try PostgresDatabase(address, migrations: DatabaseClaim.steps, logger: logger) { _ in }).close()
            return "opened"
        } catch {
            return "\(error)"
        }
    }

    @Test(
        "a certificate of the named authority for this host is taken, and everything else is one line with the remedy")
    func certificates() async throws {
        let ca = try await TestCA.make()
        let rows: [(certificate: String, root: String, words: String)] = [
            ("good", "ca", "opened"), ("good", "other", "Name the file of its authority with sslrootcert="),
            ("wrong-ca", "ca", "Name the file of its authority with sslrootcert="),
            ("self-signed", "ca", "Name the file of its authority with sslrootcert="),
            ("wrong-host", "ca", "Use a name that is in its certificate"),
            ("expired", "ca", "whether the certificate has expired"),
        ]
        for name in Set(rows.map(\.certificate)).sorted() {
            let certificate = try Certificate(name, of: ca)
            try await PostgreSQLServer.open(settings: certificate.settings(tls: true)) { _ in
                for row in rows where row.certificate == name {
                    let found = try await Self.words(
                        certificate.port, "sslmode=verify-full&sslrootcert=\(ca.path("\(row.root).pem"))")
                    #expect(found.contains(row.words), "\(row): \(found)")
                    #expect(!found.contains("S3CRET") && !found.contains("\n"), "\(row): \(found)")
                }
            }
        }
    }

    @Test("a server without TLS is one line with the remedy")
    func missing() async throws {
        let ca = try await TestCA.make()
        let certificate = try Certificate("good", of: ca)
        try await PostgreSQLServer.open(settings: certificate.settings(tls: false)) { _ in
            let found = try await Self.words(certificate.port, "sslmode=verify-full&sslrootcert=\(ca.path("ca.pem"))")
            #expect(found.contains("Turn TLS on at the server") && !found.contains("\n"), "\(found)")
        }
    }

    @Test("a name that has several addresses is what the certificate must be for, whichever of them answers")
    func addressesOfName() async throws {
        let ca = try await TestCA.make()
        let certificate = try Certificate("wrong-host", of: ca)
        let limits = ["connect_timeout": "2", "sslmode": "verify-full", "sslrootcert": ca.path("ca.pem")]
        try await PostgreSQLServer.open(settings: certificate.settings(tls: true)) { _ in
            func words(_ name: String) -> String {
                let own = ["host": name, "port": "\(certificate.port)", "user": "postgres", "dbname": "postgres"]
                do throws(PostgresError) {
                    let hosts = PostgresHosts(own.merging(limits) { $1 }) { _ in ["127.0.0.77", "127.0.0.1"] }
                    try hosts.first(
                        { (parameters) throws(PostgresError) in
                            try PostgresSession(parameters, answeringWithin: .seconds(4))
                        }, within: .zero, isAdmitted: { _ in true }
                    ).close()
                    return "opened"
                } catch {
                    return "\(error)"
                }
            }
            #expect(words("idp.example.com") == "opened")
            #expect(words("database.example.com").contains("does not match host name"))
        }
    }
}
