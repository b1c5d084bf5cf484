import Foundation
import Testing

@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit

@Suite("The file .env", .deployment)
struct DotEnvTests {
    private func read(_ text: String) throws -> DotEnvFile {
        let folder = try TemporaryFolder()
        return DotEnvFile(path: try folder.write(text, to: ".env"))
    }

    @Test(
        "a line gives its value without the spaces and the one pair of quotation marks around it",
        arguments: [
            ("X=value", "value"), ("X = value ", "value"), ("\t X=value\r", "value"), ("export X=value", "value"),
            ("export\u{20} X=value", "value"), ("X=", ""), ("X=a=b", "a=b"), ("X=a b # c", "a b # c"),
            ("X=\"a b\"", "a b"), ("X='a b'", "a b"), ("X=\" a \"", " a "), ("X=\"a\\\"b\\\\c\\n\"", "a\"b\\c\\n"),
            ("X='a\\'", "a\\"), ("X=it's", "it's"), ("X=\"\"", ""), ("X=$HOME", "$HOME"), ("X=Grüße", "Grüße"),
        ])
    func values(line: String, value: String) throws {
        let file = try read("# a comment\n\n  # another\n\(line)\nY=1")
        #expect(file.problems == [])
        #expect(file.values == ["X": value, "Y": "1"])
        #expect(file.lines["X"] == 4)
    }

    @Test(
        "an invalid line is reported with file and line, and not repeated",
        arguments: [
            ("S3CRET", "has no ="), ("=S3CRET", "is not a name"), ("1X=S3CRET", "is not a name"),
            ("X Y=S3CRET", "is not a name"),
            ("X-Y=S3CRET", "is not a name"), ("X=\"S3CRET", "not closed"), ("X='S3CRET", "not closed"),
            ("X=\"S3\"CRET", "after the closing"), ("X='S3CRET\\''", "after the closing"),
            ("export X", "has no ="), ("A=S3CRET", "first on line 1"),
        ])
    func errors(line: String, words: String) throws {
        let file = try read("A=1\n\n\(line)\nB=2\n")
        #expect(file.problems.count == 1, "\(file.problems)")
        let problem = try #require(file.problems.first)
        #expect(problem.contains("/.env:3: ") && problem.contains(words), "\(problem)")
        // The folder has a random name, which is unlikely to contain these four letters.
        #expect(!problem.contains("CRET"))
        #expect(file.values == ["A": "1", "B": "2"])
    }

    @Test(
        "a character that nobody can see is named, in the name of a setting and before a comment, with its place",
        arguments: [
            ("X\u{200b}=S3CRET", "is not a name", "The text has a zero-width space at position 2."),
            ("\u{a0}X=S3CRET", "is not a name", "The text has a no-break space at position 1."),
            ("export\u{a0}X=S3CRET", "is not a name", "The text has a no-break space at position 7."),
            ("export \u{2060}X=S3CRET", "is not a name", "The text has a word joiner at position 1."),
            ("X\u{feff} = S3CRET", "is not a name", "The text has a byte order mark at position 2."),
            ("\u{200b}# S3CRET", "has no =", "It has a zero-width space at position 1."),
        ])
    func unseenInName(line: String, words: String, unseen: String) throws {
        let problem = try #require(try read("A=1\n\(line)\n").problems.first)
        #expect(problem.contains("/.env:2: ") && problem.contains(words) && problem.hasSuffix(unseen), "\(problem)")
        #expect(!problem.contains("CRET"))
    }

    @Test("a missing or empty file is valid; a folder and a file that is not text are not")
    func files() throws {
        let folder = try TemporaryFolder()
        #expect(DotEnvFile(path: folder.path(of: "missing")).problems == [])
        #expect(DotEnvFile(path: try folder.write("", to: "empty")).problems == [])
        for path in [folder.path, try folder.write("X=a\u{0}b", to: "nul")] {
            #expect(DotEnvFile(path: path).problems.count == 1)
        }
    }

    @Test("a file that cannot be read is the only fault: what is missing may be in it", arguments: [false, true])
    func unreadable(hasNUL: Bool) async throws {
        let folder = try TemporaryFolder()
        let bytes = Array("IDP_PUBLIC_URL=https://id.example\n".utf8) + (hasNUL ? [0x49, 0] : [0x49, 0xE4])
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path(of: "own.env")))
        let words = hasNUL ? "own.env:2: has a NUL byte." : "own.env: is not text in UTF-8."
        for (name, arguments, code) in [
            ("idp", ["check"], 1), ("relying-party", ["check"], 1), ("idp", ["serve"], 78),
            ("idp", ["user", "invite", "ann@example.com"], 78),
        ] as [(String, [String], Int32)] {
            let program = ProgramProcess(
                name, arguments + ["--env-file", folder.path(of: "own.env")], folder: try TemporaryFolder())
            #expect(try await program.run() == .code(code), "\(program.output)")
            let lines = program.log.split(separator: "\n")
            #expect(lines.count == 1 && lines.first?.contains(words) == true, "\(lines)")
        }
    }

    @Test("its problems are among the reader's, and its valid lines are in force")
    func problems() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("IDP_LISTEN=127.0.0.1:1\ngarbage\n", to: ".env")
        let reader = SettingsReader(SettingsSource(arguments: [], environment: [:], file: EnvFile(at: path)))
        #expect(reader.problems.count == 1)
        #expect(reader.problems.first?.hasPrefix("\(path):2: ") == true)
        #expect(reader.text("IDP_LISTEN") == "127.0.0.1:1")
    }

    @Test(
        "a byte order mark at its start is skipped, before a setting and before a comment, with line ends of either kind"
    )
    func byteOrderMark() throws {
        for text in ["\u{feff}X=1\r\nY=2\r\n", "\u{feff}# a comment\r\nX=1\r\nY=2", "\u{feff}\nX=1\nY=2\n"] {
            let file = try read(text)
            #expect(file.problems == [] && file.values == ["X": "1", "Y": "2"])
        }
    }

    @Test("an unknown name is a warning that names its place")
    func unknown() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("IDP_LISTN=a\nexport IDP_KEY_FILE=b\nSSO_CLIENTS=c\nRP_X=d\nOTHER=e", to: ".env")
        let reader = SettingsReader(
            SettingsSource(
                arguments: [], environment: ["IDP_PUBLIC_URI": "f", "SSO_X": "g", "IDP_KEY": "h"],
                file: EnvFile(at: path)))
        let (known, secrets) = (["IDP_LISTEN", "IDP_PUBLIC_URL"], ["IDP_KEY"])
        reader.warnOfUnknown(prefix: "IDP_", known: known, secrets: secrets)
        reader.warnOfUnknown(prefix: "SSO_", known: known, secrets: secrets, inFileOnly: true)
        #expect(reader.problems == [])
        #expect(
            reader.warnings == [
                "IDP_LISTN: unknown setting in .env:1, ignored. Did you mean IDP_LISTEN?",
                "IDP_PUBLIC_URI: unknown setting in the environment, ignored. Did you mean IDP_PUBLIC_URL?",
                "SSO_CLIENTS: unknown setting in .env:3, ignored.",
            ])
    }

    @Test("a secret in the environment hides the one in `.env`, whichever of the two forms each has")
    func nearerSecret() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("from a file", to: "secret")
        for (environment, written, text) in [
            (["S": "near"], "S_FILE=\(file)", "near"), (["S_FILE": file], "S=far", "from a file"),
            (["S": ""], "S_FILE=\(file)", "from a file"), (["S": "near"], "S=far", "near"),
        ] {
            let path = try folder.write(written, to: ".env")
            let reader = SettingsReader(
                SettingsSource(arguments: [], environment: environment, file: EnvFile(at: path)))
            #expect(reader.secretText("S", required: true, hint: "") == text)
            #expect(reader.problems.isEmpty)
        }
        let typed = SettingsReader(
            SettingsSource(
                arguments: ["--s-file", file], environment: ["S": "near"], file: EnvFile(at: folder.path(of: "no.env")))
        )
        #expect(typed.secretText("S", required: true, hint: "") == "from a file", "the command line comes first")
        let path = try folder.write("S=far\nS_FILE=\(file)", to: ".env")
        let reader = SettingsReader(SettingsSource(arguments: [], environment: [:], file: EnvFile(at: path)))
        #expect(reader.secretText("S", required: true, hint: "") == nil)
        #expect(reader.problems.first?.contains("set twice") == true)
    }

    @Test("`env:NAME` finds it by its exact name, and the file that NAME_FILE names; an empty variable hides nothing")
    func variables() throws {
        let folder = try TemporaryFolder()
        let secret = try folder.write("from a file", to: "secret")
        let path = try folder.write("Partner__Secret=in the file\nA=file\nB_FILE=\(secret)\nIDP_LISTEN=b", to: ".env")
        let environment = ["PARTNER_SECRET": "another", "A": "", "IDP_LISTEN": ""]
        let reader = SettingsReader(SettingsSource(arguments: [], environment: environment, file: EnvFile(at: path)))
        #expect(reader.variable("Partner__Secret") == "in the file")
        #expect(reader.variable("partner_secret") == nil)
        #expect(reader.variable("A") == "file")
        #expect(reader.variable("B") == "from a file")
        #expect(reader.text("IDP_LISTEN") == "b")
    }

    @Test(
        "check and serve report its problems and unknown names",
        arguments: [("check", 1), ("serve", 78)] as [(String, Int32)])
    func programs(command: String, code: Int32) async throws {
        let pair = try ProcessDeployment()
        for (process, own) in [(pair.idp, "IDP_LISTN"), (pair.client.process, "RP_LISTN")] {
            let folder = try TemporaryFolder()
            try folder.write("\(own)=x\nSSO_CLIENT_NAME=x\nno setting\n", to: ".env")
            let program = ProgramProcess(
                process.name, [command], environment: process.settings, port: process.port, folder: folder)
            #expect(try await program.run() == .code(code))
            #expect(program.log.contains(".env:3: "), "\(program.log)")
            #expect(program.log.contains("\(own): unknown setting"), "\(program.log)")
            #expect(!program.log.contains("SSO_CLIENT_NAME: unknown"))
        }
    }
}
