import Storage
import Testing

@testable import SSOWeb
@testable import TestKit

/// A command beside an installed service has the settings that the service has.
@Suite("The settings of the installed service", .rules)
struct InstalledServiceTests {
    /// A machine with the settings file, the unit and drop-ins of `idp`.
    private struct Machine {
        static let unit = """
            [Unit]
            Description=IDP_NAME=none of this
            [Service]
            Type=notify
            EnvironmentFile=/etc/swift-sso/idp.env
            LoadCredential=idp-secret-key:/etc/swift-sso/secrets/idp-secret-key
            Environment=IDP_SECRET_KEY_FILE=%d/idp-secret-key
            Environment=LOG_FORMAT=json "IDP_NAME=Example Ltd"
            WorkingDirectory=%S/swift-sso-idp
            StateDirectory=swift-sso-idp swift-sso-idp-backups
            """

        let folder: TemporaryFolder
        let service: InstalledService

        init(_ settings: String?, unit: String? = unit, dropIns: [String: String] = [:]) throws {
            folder = try TemporaryFolder()
            let dropInFolders = ["lib/swift-sso-idp.service.d", "admin/swift-sso-idp.service.d"]
            for name in ["etc", "here", "lib", "admin"] + dropInFolders { _ = try folder.folder(name) }
            if let settings { try folder.write(settings, to: "etc/idp.env") }
            let file = folder.path(of: "etc/idp.env")
            if let unit {
                try folder.write(
                    unit.replacing("/etc/swift-sso/idp.env", with: file), to: "lib/swift-sso-idp.service")
            }
            for (path, text) in dropIns { try folder.write("[Service]\n" + text, to: path) }
            service = InstalledService(
                "idp", folder: folder.path(of: "etc"),
                unitFolders: [folder.path(of: "admin"), folder.path(of: "lib")])
        }

        func reader(
            named: String? = nil, arguments: [String] = [], environment: [String: String] = [:]
        ) -> SettingsReader {
            SettingsReader(
                SettingsSource(
                    arguments: arguments, environment: environment,
                    file: .find(named: named, service: service, in: folder.path(of: "here"))))
        }
    }

    private static let database = DatabaseSettings(
        "IDP", file: ("sqlite:var/idp.sqlite", "sqlite:/var/lib/swift-sso-idp/idp.sqlite")
    ) { _, _, _ in throw SettingError("no PostgreSQL here.") }

    @Test("are its settings file and what the unit sets, and the database is in the folder that the unit has")
    func all() throws {
        let reader = try Machine("IDP_PUBLIC_URL=https://idp.example.com\n").reader()
        #expect(reader.problems == [])
        #expect(reader.text("IDP_PUBLIC_URL") == "https://idp.example.com")
        #expect(reader.variable("IDP_SECRET_KEY_FILE") == "/etc/swift-sso/secrets/idp-secret-key")
        #expect(reader.text("IDP_NAME") == "Example Ltd" && reader.text("LOG_FORMAT") == "json")
        #expect(reader.value(Self.database)?.place == "/var/lib/swift-sso-idp/idp.sqlite")
        #expect(reader.source.description.contains("/etc/idp.env and swift-sso-idp.service, of the installed service"))
    }

    @Test("are used only where neither --env-file nor a .env in the working folder is")
    func order() throws {
        let machine = try Machine("IDP_LISTEN=service\n")
        #expect(machine.reader().text("IDP_LISTEN") == "service")
        #expect(machine.reader(environment: ["IDP_LISTEN": "environment"]).text("IDP_LISTEN") == "environment")
        let named = try machine.folder.write("IDP_LISTEN=named", to: "named.env")
        try machine.folder.write("IDP_LISTEN=here", to: "here/.env")
        #expect(machine.reader().text("IDP_LISTEN") == "here")
        #expect(machine.reader().text("IDP_NAME") == nil, "one file, and not a mixture")
        #expect(machine.reader(named: named).text("IDP_LISTEN") == "named")
        #expect(machine.reader(named: "/dev/null").text("IDP_LISTEN") == nil)
        let missing = machine.reader(named: machine.folder.path(of: "no.env"))
        #expect(missing.problems == ["--env-file: there is no file \(machine.folder.path(of: "no.env"))."])
    }

    @Test("follow drop-ins: the folder of the operator first, in the order of names, and an empty value takes back")
    func dropIns() throws {
        let machine = try Machine(
            "",
            dropIns: [
                "lib/swift-sso-idp.service.d/10-a.conf": "Environment=IDP_NAME=hidden",
                "admin/swift-sso-idp.service.d/10-a.conf":
                    "Environment=IDP_CLIENTS_FILE=/etc/swift-sso/clients.yaml\nLoadCredential=partner:/srv/partner",
                "admin/swift-sso-idp.service.d/20-b.conf": "StateDirectory=\nStateDirectory=other/swift-sso-idp",
                "admin/swift-sso-idp.service.d/30-c.conf": "Environment='IDP_NAME=It \"is\"' A=%E/x B=%H \\\n C=100%%",
                "admin/swift-sso-idp.service.d/notes.txt": "Environment=IDP_NAME=text",
            ])
        let reader = machine.reader()
        #expect(reader.text("IDP_CLIENTS_FILE") == "/etc/swift-sso/clients.yaml")
        #expect(reader.text("IDP_NAME") == "It \"is\"")
        #expect(reader.variable("A") == "/etc/x" && reader.variable("B") == nil && reader.variable("C") == "100%")
        #expect(reader.value(Self.database)?.place == "/var/lib/other/swift-sso-idp/idp.sqlite")
        let path = try CredentialFile.path(of: "partner", environment: reader.variable, otherwise: "file:PATH")
        #expect(path == "/srv/partner")
        #expect(throws: SettingError.self) {
            try CredentialFile.path(of: "other", environment: reader.variable, otherwise: "file:PATH")
        }
    }

    @Test("a further settings file of the unit wins, as in systemd; relative paths are those of the service")
    func files() throws {
        let folder = try TemporaryFolder()
        let more = try folder.write(
            "IDP_LISTEN=more\nIDP_LOGO_FILE=logo.svg\nIDP_LANGUAGES_DIR=languages\nIDP_MAIL_URL=outbox:mail\n",
            to: "more.env")
        let machine = try Machine(
            "IDP_LISTEN=first\nIDP_DATABASE_URL=sqlite:data/idp.sqlite\n",
            dropIns: ["lib/swift-sso-idp.service.d/a.conf": "EnvironmentFile=-\(more)\nEnvironmentFile=-/nowhere.env"])
        let reader = machine.reader()
        #expect(reader.text("IDP_LISTEN") == "more")
        #expect(reader.text("IDP_LOGO_FILE") == "/var/lib/swift-sso-idp/logo.svg")
        #expect(reader.text("IDP_LANGUAGES_DIR") == "/var/lib/swift-sso-idp/languages")
        #expect(reader.text("IDP_MAIL_URL") == "outbox:/var/lib/swift-sso-idp/mail")
        #expect(reader.value(Self.database)?.place == "/var/lib/swift-sso-idp/data/idp.sqlite")
    }

    @Test("a key that file and unit both name is set twice, for a command as for the service")
    func twice() throws {
        let reader = try Machine("IDP_SECRET_KEY=\(TestSecret.new())\n").reader()
        #expect(reader.secretText("IDP_SECRET_KEY", required: true, hint: "") == nil)
        #expect(reader.problems.first?.contains("IDP_SECRET_KEY: is set twice") == true)
    }

    @Test(
        "a line that systemd reads in another way is a problem with its line",
        arguments: [
            ("\u{FEFF}A=1", "idp.env:1: begins with a byte order mark"),
            ("export A=1", "idp.env:1: begins with export"),
            ("A=a\\b", "idp.env:1: has a backslash"), ("A=1\nA=2", "idp.env:2: A appears twice, first on line 1"),
            ("A=1\nnonsense", "idp.env:2: has no ="), ("A=\"x", "idp.env:1: has a quotation mark"),
        ])
    func refused(text: String, words: String) throws {
        let reader = try Machine(text).reader()
        #expect(reader.problems.count == 1 && reader.problems[0].contains(words), "\(reader.problems)")
    }

    @Test(
        "and what both read alike is fine",
        arguments: [
            ("A=1\r\nB=2\r\n", "1"), ("", nil), ("; a comment\n# another\nA='a\\b'", "a\\b"), ("A=\"a b\"\n", "a b"),
            ("A=Main App <sign-in@example.com>", "Main App <sign-in@example.com>"),
        ] as [(String, String?)])
    func taken(text: String, value: String?) throws {
        let reader = try Machine(text).reader()
        #expect(reader.problems == [] && reader.text("A") == value)
    }

    @Test("a unit whose drop-in names another settings file has that one alone")
    func otherFile() throws {
        let folder = try TemporaryFolder()
        let other = try folder.write("IDP_LISTEN=other\n", to: "other.env")
        let machine = try Machine(
            "IDP_LISTEN=first\nIDP_NAME=first\n",
            dropIns: ["lib/swift-sso-idp.service.d/a.conf": "EnvironmentFile=\nEnvironmentFile=\(other)"])
        #expect(machine.reader().text("IDP_LISTEN") == "other")
        #expect(machine.reader().text("IDP_NAME") == "Example Ltd")
    }

    @Test("a credential of the running service wins over the file that systemd made it of")
    func credentials() throws {
        let reader = try Machine("").reader(environment: ["CREDENTIALS_DIRECTORY": "/run/credentials/idp"])
        let path = try CredentialFile.path(of: "idp-secret-key", environment: reader.variable, otherwise: "file:PATH")
        #expect(path == "/run/credentials/idp/idp-secret-key")
    }

    @Test("a machine without a unit has the file alone; a machine without the file has no settings of a service")
    func parts() throws {
        let alone = try Machine("IDP_LISTEN=here\n", unit: nil).reader()
        #expect(alone.text("IDP_LISTEN") == "here" && alone.text("IDP_NAME") == nil)
        #expect(!alone.source.description.contains("service,"))
        let none = try Machine(nil).reader()
        #expect(none.text("IDP_NAME") == nil)
        #expect(none.source.description == "command line, environment, no file")
    }
}
