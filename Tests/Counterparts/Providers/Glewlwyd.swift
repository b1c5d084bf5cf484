import Foundation
import Glibc

@testable import TestKit

/// Debian's glewlwyd as a process of this test: an OpenID provider that is not ours, with its own pages.
///
/// It has two providers, one for each kind of key. `script/setup --test` unpacks the package without installing it, so its
/// service never starts.
///
/// What it does that others do not: it refuses `max_age=0` and reports errors of the token endpoint with the status 403.
/// With `response_mode=form_post` it percent-encodes the value of `iss`, which is then another one.
final class Glewlwyd: Sendable {
    /// The path of the provider with a key of this kind.
    enum Signing: String, Sendable, CaseIterable {
        case rs256 = "rsa"
        case es256 = "ecdsa"
    }

    private static let package = TestVectors.repository.appending(path: ".build/glewlwyd").path
    private static let program = package + "/usr/bin/glewlwyd"
    private static let schema = package + "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3"
    /// Of the package glewlwyd-common, which has no service.
    private static let pages = "/usr/share/glewlwyd"
    /// `script/setup --test` fetches it where it is available.
    static let isUsable =
        FileManager.default.isExecutableFile(atPath: program)
        && FileManager.default.fileExists(atPath: pages + "/webapp/login.js")

    static let clientID = "swift-sso"
    static let user = "ann"
    static let password = "ann-password"
    static let email = "ann@example.com"

    private let clientSecret = TestSecret.new()
    private let port: UInt16
    private let folder: TemporaryFolder
    private let child: ChildProcess
    private let administrator = Browser()

    /// Starts it with the user and both providers, and waits until it answers.
    init() async throws {
        let (folder, port) = (try TemporaryFolder(), try FreePort.find())
        try folder.write(Self.configuration(folder, port), to: "glewlwyd.conf")
        try folder.write(Self.preparation, to: "prepare.sh")
        try await folder.run("/bin/sh", ["prepare.sh", Self.schema, Self.pages], named: "prepare")
        child = try ChildProcess(
            Self.program, ["--config-file=" + folder.path(of: "glewlwyd.conf")], environment: Programs.inherited,
            folder: folder.path, standardOutput: folder.path(of: "log"), standardError: folder.path(of: "log"))
        (self.folder, self.port) = (folder, port)
        chmod(try folder.write(clientSecret, to: "client-secret"), 0o600)
        let probe = HTTPProbe(port: port)
        try await eventually("glewlwyd answers") { () -> Void? in
            if let exit = child.exit { throw ProbeFailure("glewlwyd ended: \(exit) \(log.suffix(2_000))") }
            return (try? await probe.get("/config"))?.status == 200 ? () : nil
        }
        try await configure()
    }

    /// Ends it.
    func stop() async throws {
        child.send(SIGTERM)
        _ = try await child.waitForExit()
    }

    var log: String { folder.text(of: "log") }
    private var origin: String { "http://127.0.0.1:\(port)" }
    func issuer(_ signing: Signing) -> String { "\(origin)/api/\(signing.rawValue)" }

    /// The entry for the list `providers` of `IDP_PROVIDERS_FILE`.
    func yaml(id: String, name: String, _ signing: Signing) -> String {
        """
          - id: \(id)
            name: \(name)
            kind: oidc
            issuer: "\(issuer(signing))"
            client_id: \(Self.clientID)
            client_secret: "file:\(folder.path(of: "client-secret"))"
            owns_addresses: [example.com]

        """
    }

    /// Registers the IdP as a client, with the user's consent.
    func register(redirectURIs: [String]) async throws {
        let scopes: JSONValue = ["openid", "email", "profile"]
        try await call(
            "POST", "/client/?source=database",
            [
                "client_id": .string(Self.clientID), "name": "Main App", "confidential": true,
                "client_secret": .string(clientSecret), "redirect_uri": .array(redirectURIs.map(JSONValue.string)),
                "authorization_type": ["code"], "token_endpoint_auth_method": ["client_secret_basic"],
                "scope": scopes, "enabled": true,
            ])
        let user = Browser()
        try await call(
            "POST", "/auth/", ["username": .string(Self.user), "password": .string(Self.password)], by: user)
        try await call("PUT", "/auth/grant/\(Self.clientID)", ["scope": "openid email profile"], by: user)
    }

    /// Through its REST API, as its administration page does.
    private func configure() async throws {
        // The password that its own installation script sets.
        try await call("POST", "/auth/", ["username": "admin", "password": "password"])
        guard case .object(var module) = try await call("GET", "/mod/user/database"),
            case .object(var parameters)? = module["parameters"], case .object(var format)? = parameters["data-format"]
        else { throw ProbeFailure("glewlwyd has no module for users") }
        format["email-verified"] = [
            "multiple": false, "read": true, "write": true, "profile-read": false, "profile-write": false,
        ]
        parameters["data-format"] = .object(format)
        module["parameters"] = .object(parameters)
        try await call("PUT", "/mod/user/database", .object(module))
        try await call("PUT", "/mod/user/database/reset")
        for scope in ["email", "profile"] {
            try await call(
                "POST", "/scope/",
                [
                    "name": .string(scope), "display_name": .string(scope), "password_required": true,
                    "scheme": .object([:]),
                ])
        }
        try await call(
            "POST", "/user/?source=database",
            [
                "username": .string(Self.user), "name": "Ann Example", "password": .string(Self.password),
                "email": .string(Self.email), "email-verified": "1", "scope": ["openid", "email", "profile"],
                "enabled": true,
            ])
        for signing in Signing.allCases { try await add(signing) }
    }

    private func add(_ signing: Signing) async throws {
        let name = signing.rawValue
        let verified: JSONValue = [
            "name": "email_verified", "user-property": "email-verified", "type": "boolean", "boolean-value-true": "1",
            "boolean-value-false": "0", "mandatory": true, "on-demand": false, "scope": [],
        ]
        let parameters: JSONValue = [
            "iss": .string(issuer(signing)), "jwt-type": .string(name), "jwt-key-size": "256",
            "key": .string(folder.text(of: "\(name).pem")), "cert": .string(folder.text(of: "\(name).pub")),
            "access-token-duration": 3_600, "refresh-token-duration": 3_600, "code-duration": 600,
            "refresh-token-rolling": false, "allow-non-oidc": false, "auth-type-code-enabled": true,
            "auth-type-code-revoke-replayed": true, "auth-type-token-enabled": false,
            "auth-type-implicit-enabled": false, "auth-type-password-enabled": false,
            "auth-type-client-enabled": false, "auth-type-device-enabled": false, "auth-type-refresh-enabled": false,
            "auth-type-none-enabled": false, "subject-type": "public", "pkce-allowed": true,
            "pkce-method-plain-allowed": false, "pkce-required": true, "oauth-as-iss-id": true, "jwks-show": true,
            "name-claim": "mandatory", "email-claim": "mandatory", "claims": [verified],
        ]
        try await call(
            "POST", "/mod/plugin/",
            [
                "module": "oidc", "name": .string(name), "display_name": .string(name), "parameters": parameters,
            ])
    }

    @discardableResult
    private func call(
        _ method: String, _ path: String, _ body: JSONValue? = nil, by browser: Browser? = nil
    ) async throws -> JSONValue {
        let visit = try await (browser ?? administrator).send(
            method, try WebAddress("\(origin)/api\(path)"), [("Content-Type", "application/json")],
            body: try body.map { Array(try StandInJSON.text($0).utf8) } ?? [])
        guard visit.status == 200 else {
            throw ProbeFailure("glewlwyd: \(method) \(path): \(visit.status) \(visit.text) \(log.suffix(1_000))")
        }
        return (try? JSONDecoding.value(visit.reply.body)) ?? .null
    }
}

extension Glewlwyd {
    /// Makes the database, both keys, and the pages with their own settings: the package has a broken link there.
    private static let preparation = """
        set -e
        sqlite3 glewlwyd.db < "$1"
        cp -rL "$2/webapp" web
        rm -rf web/config.json
        cp "$2/templates/config.json" web/config.json
        mkdir none
        openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out rsa.pem
        openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ecdsa.pem
        for key in rsa ecdsa; do openssl pkey -in $key.pem -pubout -out $key.pub; done
        """

    private static func configuration(_ folder: TemporaryFolder, _ port: UInt16) -> String {
        let modules = package + "/usr/lib/glewlwyd"
        let types = [
            "html": "text/html", "css": "text/css", "js": "application/javascript", "json": "application/json",
        ]
        .sorted { $0.key < $1.key }
        .map { "{extension = \".\($0.key)\"; mime_type = \"\($0.value)\"; compress = 0;}" }
        return """
            port = \(port)
            bind_address = "127.0.0.1"
            external_url = "http://127.0.0.1:\(port)"
            login_url = "login.html"
            api_prefix = "api"
            static_files_path = "\(folder.path(of: "web"))/"
            log_mode = "console"
            log_level = "INFO"
            cookie_domain = "127.0.0.1"
            cookie_secure = 0
            cookie_same_site = "lax"
            session_key = "GLEWLWYD2_SESSION_ID"
            session_expiration = 2419200
            admin_session_authentication = "cookie"
            profile_session_authentication = "cookie"
            login_api_enabled = true
            admin_scope = "g_admin"
            profile_scope = "g_profile"
            user_module_path = "\(modules)/user"
            user_middleware_module_path = "\(folder.path(of: "none"))"
            client_module_path = "\(modules)/client"
            user_auth_scheme_module_path = "\(modules)/scheme"
            plugin_module_path = "\(modules)/plugin"
            hash_algorithm = "SHA512"
            database = {type = "sqlite3"; path = "\(folder.path(of: "glewlwyd.db"))";};
            static_files_mime_types = (\(types.joined(separator: ", ")))

            """
    }
}

extension Chromium {
    /// Signs in on glewlwyd's pages and goes on to the client.
    func signInAtGlewlwyd() async throws {
        try await type(Glewlwyd.user, into: "#username")
        try await type(Glewlwyd.password, into: "#password")
        try await press("#loginbut")
        try await press("button.btn-success")
    }
}
