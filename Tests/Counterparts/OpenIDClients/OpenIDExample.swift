import Foundation

@testable import TestKit

/// A service of `examples/openid`, in a language and with a library that are not ours.
enum OpenIDExample: String, Sendable, CaseIterable {
    case apache, flask, django, sinatra, go, idpyoidc, pgadmin
    case djangoAllauth = "django-allauth"

    /// Those of every run. `script/openid-clients` runs all.
    static let usual: [Self] = [.apache, .flask, .django, .djangoAllauth, .sinatra, .go]
    static let tested: [Self] = isEveryOne ? allCases : usual
    static let isEveryOne = ProcessInfo.processInfo.environment["SSO_TEST_OPENID_CLIENTS"] == "all"

    private static let build = TestVectors.repository.appending(path: ".build").path
    var folder: String { TestVectors.repository.appending(path: "examples/openid/\(rawValue)").path }

    /// What the program needs, as `script/setup --test` installs or fetches it: one file of each package.
    private var needed: [String] {
        switch self {
        case .apache: ["/usr/sbin/apache2", "/usr/lib/apache2/modules/mod_auth_openidc.so"]
        case .flask: [Self.build + "/authlib/authlib/__init__.py"]
        case .django, .djangoAllauth: [Self.build + "/mozilla_django_oidc/mozilla_django_oidc/__init__.py"]
        case .sinatra:
            [
                "/var/lib/dpkg/info/ruby-omniauth-openid-connect.list", "/var/lib/dpkg/info/ruby-sinatra.list",
                "/var/lib/dpkg/info/ruby-webrick.list",
            ]
        case .go: ["/usr/bin/go", "/usr/share/gocode/src/github.com/coreos/go-oidc"]
        case .idpyoidc: [Self.build + "/idpyoidc/idpyoidc/__init__.py"]
        case .pgadmin: [Self.build + "/pgadmin4/pgadmin4/config.py"]
        }
    }

    /// Whether the test runs. In CI it always does, and a missing library is a failure.
    var isAvailable: Bool { isInstalled || ProcessInfo.processInfo.environment["CI"] != nil }
    var isInstalled: Bool { needed.allSatisfy { FileManager.default.fileExists(atPath: $0) } }

    // MARK: Registration

    var callback: String {
        switch self {
        case .apache: "/signed-in"
        case .django: "/oidc/callback/"
        case .djangoAllauth: "/accounts/oidc/idp/login/callback/"
        case .sinatra: "/auth/idp/callback"
        case .pgadmin: "/oauth2/authorize"
        case .flask, .go, .idpyoidc: "/callback"
        }
    }

    /// The page that a user sees after a sign-out; nil for one that signs out only here.
    var signedOutPage: String? {
        switch self {
        case .apache: "/signed-out.html"
        case .djangoAllauth: nil
        default: "/"
        }
    }

    /// Where it takes logout tokens; nil if its library has no such thing.
    var backChannel: String? {
        switch self {
        case .apache: "/signed-in?logout=backchannel"
        case .flask, .idpyoidc: "/signed-out"
        default: nil
        }
    }

    /// The page that begins a sign-in, or has the button that does.
    var signInPage: String { self == .apache ? "/index.html" : "/" }

    // MARK: Pages

    var signInButton: String { self == .pgadmin ? "button[name=oauth2_button]" : "#sign-in" }

    var signingAlgorithm: String { self == .idpyoidc ? "ES256" : "RS256" }

    /// Whether its library reads the keys again only when their five minutes are over. Then it learns of a key that signs at
    /// once (`idp keys rotate --now`) so late, unless it is started again.
    var keepsKeys: Bool { self == .go }

    // MARK: Commands

    /// What runs once before it starts, as its first lines say.
    func preparation(in folder: String) -> [String]? {
        switch self {
        case .django, .djangoAllauth: ["python3", self.folder + "/manage.py", "migrate", "-v0"]
        case .go: ["go", "build", "-o", folder + "/service", self.folder + "/main.go"]
        default: nil
        }
    }

    func command(in folder: String, at authority: String) -> [String] {
        switch self {
        case .apache: ["/usr/sbin/apache2", "-X", "-d", folder, "-f", self.folder + "/httpd.conf"]
        case .flask, .idpyoidc: ["python3", self.folder + "/app.py"]
        case .django, .djangoAllauth: ["python3", self.folder + "/manage.py", "runserver", "--noreload", authority]
        case .sinatra: ["ruby", self.folder + "/app.rb"]
        case .go: [folder + "/service"]
        case .pgadmin:
            [
                "python3", "-m", "gunicorn", "--chdir", Self.build + "/pgadmin4/pgadmin4", "--bind", authority,
                "--workers",
                "1", "--threads", "4", "pgAdmin4:app",
            ]
        }
    }

    /// Where its language finds the libraries.
    func environment(in folder: String) -> [String: String] {
        switch self {
        case .flask: ["PYTHONPATH": Self.build + "/authlib"]
        case .django, .djangoAllauth: ["PYTHONPATH": Self.build + "/mozilla_django_oidc"]
        case .idpyoidc: ["PYTHONPATH": Self.build + "/idpyoidc"]
        case .go: ["GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOCACHE": Self.build + "/go-cache"]
        case .pgadmin:
            [
                "PYTHONPATH": "\(self.folder):\(Self.build)/pgadmin4", "PGADMIN_SETUP_EMAIL": "operator@example.com",
                "PGADMIN_SETUP_PASSWORD": "a-long-password",
            ]
        case .apache, .sinatra: [:]
        }
    }
}
