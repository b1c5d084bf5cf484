import Foundation
import Glibc
import Synchronization

@testable import TestKit
@testable import WebTestKit

/// Canaille as a process of this test: an OpenID provider in Python that is not ours, as `script/setup --test` fetches it.
///
/// What it does that others do not: `auth_time` has decimals, `aud` is a list, `email_verified` is a text, its key set has
/// two kinds of keys, and it says that it supports `none`.
final class Canaille: Sendable {
    /// How it signs ID tokens.
    enum Signing: String, Sendable, CaseIterable {
        case rs256 = "RS256"
        case eddsa = "EdDSA"
    }

    private static let library = TestVectors.repository.appending(path: ".build/canaille").path
    private static let isInstalled = FileManager.default.fileExists(atPath: library + "/canaille/__init__.py")

    /// Whether the test runs. In CI it always does, and a missing library is a failure.
    static let isAvailable = isInstalled || ProcessInfo.processInfo.environment["CI"] != nil

    static let clientID = "swift-sso"
    static let user = "ann"
    static let password = "a-long-password-of-ann"
    static let email = "ann@example.com"

    let issuer: String
    let signing: Signing
    private let folder: TemporaryFolder
    private let port: UInt16
    private let child = Mutex<ChildProcess?>(nil)
    private let clientSecret = TestSecret.new()

    init(_ signing: Signing = .rs256) throws {
        guard Self.isInstalled else { throw ProbeFailure("script/setup --test could not fetch canaille") }
        self.signing = signing
        (folder, port) = (try TemporaryFolder(), try FreePort.find())
        issuer = "http://127.0.0.1:\(port)"
        chmod(try folder.write(clientSecret, to: "client-secret"), 0o600)
        try folder.write(Self.server, to: "server.py")
    }

    /// Starts it with the user and the IdP as a client, and waits until it answers.
    func start(redirectURI: String) async throws {
        let environment = Programs.inherited.merging([
            "PYTHONPATH": Self.library, "PYTHONDONTWRITEBYTECODE": "1", "HOME": folder.path,
        ]) { $1 }
        let arguments = ["python3", "server.py", "\(port)", signing.rawValue, redirectURI, Self.password]
        let child = try ChildProcess(
            "/usr/bin/env", arguments, environment: environment, folder: folder.path,
            standardOutput: folder.path(of: "log"), standardError: folder.path(of: "log"))
        self.child.withLock { $0 = child }
        let probe = HTTPProbe(port: port)
        try await eventually("canaille answers") { () -> Void? in
            if let exit = child.exit { throw ProbeFailure("canaille ended: \(exit) \(log.suffix(2_000))") }
            return (try? await probe.get("/.well-known/openid-configuration"))?.status == 200 ? () : nil
        }
    }

    /// Ends it.
    func stop() async throws {
        guard let child = child.withLock({ $0 }) else { return }
        child.send(SIGTERM)
        _ = try await child.waitForExit()
    }

    var log: String { folder.text(of: "log") }

    /// The entry for the list `providers` of `IDP_PROVIDERS_FILE`.
    func yaml(id: String, name: String) -> String {
        """
          - id: \(id)
            name: \(name)
            kind: oidc
            issuer: "\(issuer)"
            client_id: \(Self.clientID)
            client_secret: "file:\(folder.path(of: "client-secret"))"
            owns_addresses: [example.com]

        """
    }

    private static let server = """
        import os, secrets, sys
        from canaille import create_app
        from canaille.app import models
        from canaille.backends import Backend
        from joserfc.jwk import OKPKey, RSAKey
        from werkzeug.serving import make_server

        port, algorithm, redirect_uri, password = sys.argv[1:]
        with open("client-secret") as file:
            secret = file.read()
        keys = [RSAKey.generate_key(2048, auto_kid=True), OKPKey.generate_key("Ed25519", auto_kid=True)]
        app = create_app({
            "SECRET_KEY": secrets.token_hex(), "SERVER_NAME": f"127.0.0.1:{port}", "PREFERRED_URL_SCHEME": "http",
            "CANAILLE": {"DATABASE": "memory"},
            "CANAILLE_OIDC": {"ACTIVE_JWKS": [key.as_dict(private=True) for key in keys]},
        })
        app.config["CANAILLE_OIDC"]["USERINFO_MAPPING"]["EMAIL_VERIFIED"] = "true"
        with app.app_context(), Backend.instance.session():
            Backend.instance.save(models.User(
                user_name="ann", formatted_name="Ann Example", given_name="Ann", family_name="Example",
                emails=["ann@example.com"], password=password))
            client = models.Client(
                client_id="swift-sso", client_secret=secret, client_name="Main App", redirect_uris=[redirect_uri],
                grant_types=["authorization_code"], response_types=["code"], scope=["openid", "email", "profile"],
                token_endpoint_auth_method="client_secret_basic", id_token_signed_response_alg=algorithm)
            Backend.instance.save(client)
            client.audience = [client]
            Backend.instance.save(client)
        make_server("127.0.0.1", int(port), app, threaded=True).serve_forever()
        """
}

extension Chromium {
    /// Signs in on Canaille's pages, agrees, and goes on to the client.
    func signInAtCanaille() async throws {
        try await type(Canaille.user, into: "input[name=login]")
        try await press("#loginform button[type=submit]")
        try await type(Canaille.password, into: "input[name=password]")
        try await press("#passwordform button[type=submit]")
        try await press("#accept")
    }
}
