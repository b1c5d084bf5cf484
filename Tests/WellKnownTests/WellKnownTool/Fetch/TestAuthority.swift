import Foundation

@testable import TestKit

/// A certificate authority for the tests, created with the openssl program. The keys are deleted with the folder.
final class TestAuthority: Sendable {
    struct Certificate: Sendable {
        /// Paths of PEM files.
        let chain, key: String
    }

    private let folder: TemporaryFolder
    /// The path of the authority's own certificate.
    var file: String { folder.path(of: "ca.pem") }

    /// One authority for all tests, with a certificate for loopback and one for another host, because creating keys
    /// takes time.
    static let shared = Task {
        let authority = try await TestAuthority()
        let here = ["IP:127.0.0.1", "DNS:site.test", "DNS:www.site.test"]
        let good = try await authority.certificate(for: here, named: "good")
        let other = try await authority.certificate(for: ["DNS:other.test"], named: "other")
        return (authority: authority, good: good, other: other)
    }

    init() async throws {
        folder = try TemporaryFolder()
        try await Self.openssl(
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "ca.key",
                "-out", "ca.pem", "-subj", "/CN=wellknown tests", "-days", "2", "-addext",
                "keyUsage=critical,keyCertSign,cRLSign",
            ], folder)
    }

    /// Creates a certificate for these names that is valid now.
    func certificate(for names: [String], named name: String) async throws -> Certificate {
        try await Self.openssl(
            [
                "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "\(name).key",
                "-out", "\(name).csr", "-subj", "/CN=\(name)",
            ], folder)
        try folder.write("subjectAltName=\(names.joined(separator: ","))\n", to: "\(name).ext")
        try await Self.openssl(
            [
                "x509", "-req", "-in", "\(name).csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-set_serial",
                "\(UInt32.random(in: 1...UInt32.max))", "-out",
                "\(name).pem", "-days", "2", "-extfile", "\(name).ext",
            ], folder)
        return Certificate(chain: folder.path(of: "\(name).pem"), key: folder.path(of: "\(name).key"))
    }

    private static func openssl(_ arguments: [String], _ folder: TemporaryFolder) async throws {
        let process = try ChildProcess(
            "/usr/bin/openssl", arguments, environment: ["PATH": "/usr/bin:/bin"], folder: folder.path,
            standardOutput: folder.path(of: "out.txt"), standardError: folder.path(of: "err.txt"))
        let exit = try await process.waitForExit()
        guard exit == .code(0) else { throw ProbeFailure("openssl: \(folder.text(of: "err.txt"))") }
    }
}
