import Foundation

@testable import TestKit
@testable import WellKnownTool

/// A P-256 key pair in files, created with the openssl program. openssl also verifies the signatures, so that the tests
/// do not depend on the code under test.
struct TestSigningKey {
    let folder: TemporaryFolder
    var file: String { folder.path(of: "AuthKey.p8") }

    init() async throws {
        folder = try TemporaryFolder()
        _ = try await run("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", file)
        _ = try await run("pkey", "-in", file, "-pubout", "-out", folder.path(of: "public.pem"))
    }

    func load() throws -> AppStoreConnectKey {
        try AppStoreConnectKey(pem: Array(try Data(contentsOf: URL(filePath: file))))
    }

    /// Whether a JWT's signature was made with this key. The signature is two numbers of 32 bytes. openssl needs them
    /// in DER.
    func hasSigned(_ token: String) async throws -> Bool {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let signature = Self.decoded(parts[2]), signature.count == 64 else { return false }
        try folder.write("\(parts[0]).\(parts[1])", to: "signed")
        let numbers = Self.integer(signature.prefix(32)) + Self.integer(signature.suffix(32))
        try Data([0x30, UInt8(numbers.count)] + numbers).write(to: URL(filePath: folder.path(of: "signature")))
        let exit = try await run(
            "dgst", "-sha256", "-verify", folder.path(of: "public.pem"), "-signature", folder.path(of: "signature"),
            folder.path(of: "signed"))
        return exit == .code(0)
    }

    /// The header and the claims of a JWT.
    static func contents(_ token: String) throws -> (header: [String: Any], claims: [String: Any]) {
        let objects = try token.split(separator: ".").prefix(2).map { part in
            try JSONSerialization.jsonObject(with: Data(decoded(String(part)) ?? [])) as? [String: Any] ?? [:]
        }
        guard objects.count == 2 else { throw ProbeFailure("no JWT: \(token)") }
        return (objects[0], objects[1])
    }

    @discardableResult
    func run(_ arguments: String...) async throws -> ChildProcess.Exit {
        try await ChildProcess(
            "/usr/bin/openssl", arguments, environment: [:], folder: folder.path,
            standardOutput: folder.path(of: "output"), standardError: folder.path(of: "output")
        ).waitForExit()
    }

    private static func decoded(_ text: String) -> [UInt8]? {
        var text = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        while text.utf8.count % 4 != 0 { text += "=" }
        return Data(base64Encoded: text).map(Array.init)
    }

    private static func integer(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if (digits.first ?? 0x80) >= 0x80 { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }
}
