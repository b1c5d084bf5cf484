import Foundation
import Testing

@testable import IdPTestKit
@testable import TestKit

/// `idp init` as an operator runs it: in a folder without an installed service.
@Suite("idp init", .deployment)
struct InitCommandTests {
    private static let good = [
        "https://idp.example.com", "smtps://ann@mail.example.com", "p w/x", "Example Ltd <sign-in@example.com>",
        "*@example.com", "10.0.0.0/8",
    ]

    /// - Parameter lines: what is typed, one answer a line.
    private static func run(
        _ arguments: [String] = [], typing lines: [String] = [], in folder: TemporaryFolder, endsWith code: Int32 = 0
    ) async throws -> ProgramProcess {
        let input = try folder.write(lines.map { $0 + "\n" }.joined(), to: "answers")
        let process = ProgramProcess("idp", ["init"] + arguments, folder: folder, input: input)
        let exit = try await process.run()
        #expect(exit == .code(code), "\(process.output)")
        return process
    }

    private static func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("writes the settings that are typed and a key, closed to others, and check finds nothing wrong with them")
    func whole() async throws {
        let folder = try TemporaryFolder()
        let process = try await Self.run(typing: Self.good, in: folder)
        #expect(process.printed.contains("Wrote .env.") && process.printed.contains("\n  idp serve\n  idp client add "))
        #expect(!process.output.contains("p w/x") && !process.output.contains("p%20w"))
        let settings = folder.text(of: ".env")
        #expect(settings.contains("IDP_MAIL_URL=smtps://ann:p%20w%2Fx@mail.example.com\n"))
        #expect(settings.contains("IDP_TRUSTED_PROXIES=10.0.0.0/8\n"))
        #expect(try Self.mode(folder.path(of: ".env")) == 0o600)
        #expect(try Self.mode(folder.path(of: "var/idp-secret-key")) == 0o600)
        #expect(folder.text(of: "var/idp-secret-key").utf8.count == 64)
        let check = ProgramProcess("idp", ["check"], folder: folder)
        #expect(try await check.run() == .code(0), "\(check.output)")
        #expect(check.printed.contains("IDP_MAIL_FROM") && check.printed.contains("Example Ltd <sign-in@example.com>"))
    }

    @Test(
        "asks again after a wrong answer, with the reason, as often as it takes",
        arguments: [
            (
                0,
                [
                    "ftp://idp.example.com", "http://idp.example.com", "idp.example.com", "https://", "", " ",
                    "https://idp.example.com/path", "https://ann@idp.example.com", "https://idp.example.com:443", "é",
                ]
            ),
            (
                1,
                [
                    "mail.example.com", "http://mail.example.com", "smtp:mail", "smtps://", "", "outbox:var/outbox",
                    "smtps://mail.example.com/x", "smtps://mail.example.com:99999", "smtps://mail.example.com:0",
                    "imap://m",
                ]
            ),
            (
                3,
                [
                    "", "Example", "Example Ltd sign-in@example.com", "<sign-in>", "a@b@c", "Example <a@example.com",
                    "@",
                    "a@example.com, b@example.com", "Example\u{202e} <>", "sign-in@",
                ]
            ),
            (
                4,
                [
                    "*", "example.com", "@example.com", "*@", "ann@", "*@*", "*example.com", "a b@example.com", "*@-",
                    ".",
                ]
            ),
            (5, ["proxy", "300.1.1.1", "10.0.0.0/33", "1.2.3", "localhost", "::g", "10.0.0.0/-1", "/8", "*", "a,b"]),
        ] as [(Int, [String])])
    func again(question: Int, wrong: [String]) async throws {
        let folder = try TemporaryFolder()
        var lines = Self.good
        lines.insert(contentsOf: wrong, at: question)
        // An empty answer to an optional question is an answer.
        let process = try await Self.run(typing: lines, in: folder)
        let words = process.log.split(separator: "\n").filter { $0.contains(":   ") }
        #expect(words.count == wrong.count, "\(process.log)")
        #expect(folder.text(of: ".env").contains("IDP_TRUSTED_PROXIES=10.0.0.0/8\n"))
    }

    @Test("options answer in place of a terminal, and what is missing then is named; nothing is written")
    func options() async throws {
        let folder = try TemporaryFolder()
        let mail = try folder.write("smtps://ann:secret@mail.example.com\n", to: "mail-url")
        let options = [
            "--public-url", "https://idp.example.com", "--mail-url-file", mail, "--mail-from", "sign-in@example.com",
        ]
        let missing = try await Self.run(Array(options.prefix(2)), in: folder, endsWith: 64)
        #expect(missing.log.contains("give --mail-url-file"))
        #expect(!FileManager.default.fileExists(atPath: folder.path(of: ".env")))
        let process = try await Self.run(options + ["--json", "--env-file", folder.path(of: "own.env")], in: folder)
        #expect(process.printed == "{\"changed\":true,\"file\":\"\(folder.path(of: "own.env"))\"}\n")
        #expect(folder.text(of: "own.env").contains("IDP_SECRET_KEY_FILE=\(folder.path(of: "idp-secret-key"))\n"))
        for wrong in [
            ["--public-url", "x"], ["--mail-url", "smtps://a:b@mail.example.com"], ["--mail-from", "x"],
            ["--allowed-emails", "*"], ["--trusted-proxies", "x"], ["--mail-url", "smtp://m", "--mail-url-file", mail],
        ] {
            let process = try await Self.run(wrong, in: folder, endsWith: 64)
            #expect(process.log.contains("\(wrong[0])") && !process.log.contains("a:b"))
        }
    }

    @Test("started again it offers what is there, keeps the key and every other line, and changes what is typed")
    func twice() async throws {
        let folder = try TemporaryFolder()
        try folder.write("# mine\nIDP_NAME=Example Ltd\n#IDP_PUBLIC_URL=x\n", to: ".env")
        _ = try await Self.run(typing: Self.good, in: folder)
        let (first, key) = (folder.text(of: ".env"), folder.text(of: "var/idp-secret-key"))
        #expect(first.hasPrefix("# mine\nIDP_NAME=Example Ltd\nIDP_PUBLIC_URL=https://idp.example.com\n"))
        let same = try await Self.run(in: folder)
        #expect(same.printed.contains("\n.env is as it was.") && !same.output.contains("p%20w"))
        #expect(folder.text(of: ".env") == first)
        _ = try await Self.run(typing: ["https://id.example.com", "", "", "", ""], in: folder)
        #expect(folder.text(of: ".env") == first.replacing("https://idp.example", with: "https://id.example"))
        #expect(folder.text(of: "var/idp-secret-key") == key)
    }

    @Test("a refused answer at the end of the input is no answer: the old value is not taken, and the file stays")
    func refusedLast() async throws {
        let folder = try TemporaryFolder()
        _ = try await Self.run(typing: Self.good, in: folder)
        let before = folder.text(of: ".env")
        let wrong = [
            ("ftp://x", "--public-url"), ("imap://m", "--mail-url-file"), ("sign-in@", "--mail-from"),
            ("*", "--allowed-emails"), ("localhost", "--trusted-proxies"),
        ]
        for (question, (answer, option)) in wrong.enumerated() {
            let lines = Array(repeating: "", count: question) + [answer]
            let process = try await Self.run(typing: lines, in: folder, endsWith: 64)
            #expect(process.log.contains("there is no answer. Without a terminal give \(option)."), "\(process.log)")
            #expect(folder.text(of: ".env") == before)
        }
    }

    @Test("a folder that there is not is named, and nothing is made")
    func noFolder() async throws {
        let folder = try TemporaryFolder()
        let process = try await Self.run(
            ["--env-file", "nowhere/own.env"], typing: Self.good, in: folder, endsWith: 1)
        #expect(process.log.contains("there is no folder nowhere. Make it first."), "\(process.log)")
        #expect(!FileManager.default.fileExists(atPath: folder.path(of: "nowhere")))
    }

    @Test("a file with a fault stays as it is, and the line is named")
    func faulty() async throws {
        let folder = try TemporaryFolder()
        for text in ["nonsense\n", "A=1\nA=2\n", "A=\"x\n"] {
            try folder.write(text, to: ".env")
            let process = try await Self.run(typing: Self.good, in: folder, endsWith: 1)
            #expect(process.log.contains(".env:") && process.log.contains("Correct it, then start again."))
            #expect(folder.text(of: ".env") == text)
        }
    }

    @Test("a stored mail server that cannot be used is neither shown nor taken; a login by a token needs no password")
    func storedMail() async throws {
        let folder = try TemporaryFolder()
        try folder.write("IDP_MAIL_URL=smtps://ann:S3CRET/x@mail.example.com\n", to: ".env")
        let refused = try await Self.run(typing: [Self.good[0]], in: folder, endsWith: 64)
        #expect(!refused.output.contains("S3CRET") && refused.log.contains("give --mail-url-file"))
        let token = "IDP_MAIL_URL=smtps://ann@mail.example.com\nIDP_MAIL_TOKEN_FILE=/run/token\n"
        try folder.write(token, to: ".env")
        _ = try await Self.run(typing: [Self.good[0], "", Self.good[3], "", "none"], in: folder)
        #expect(folder.text(of: ".env").hasPrefix(token))
        #expect(!folder.text(of: ".env").contains("IDP_TRUSTED_PROXIES"))
    }

    @Test("a draft that somebody left is not used, and a link stays one")
    func drafts() async throws {
        let folder = try TemporaryFolder()
        let draft = try folder.write("old", to: "real.env.new")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: draft)
        try folder.write("# mine\n", to: "real.env")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(of: ".env"), withDestinationPath: folder.path(of: "real.env"))
        _ = try await Self.run(typing: Self.good, in: folder)
        let link = try FileManager.default.destinationOfSymbolicLink(atPath: folder.path(of: ".env"))
        #expect(link.hasSuffix("real.env"))
        #expect(folder.text(of: "real.env").hasPrefix("# mine\nIDP_PUBLIC_URL="))
        #expect(try Self.mode(folder.path(of: "real.env")) == 0o600)
        #expect(!FileManager.default.fileExists(atPath: draft))
    }

    @Test("none is a mail server like others: it is written, no sender is asked for, and check accepts the file")
    func withoutMail() async throws {
        let (url, none) = ("http://localhost:18490", ["none"])
        for isTyped in [false, true] {
            let folder = try TemporaryFolder()
            let options = isTyped ? [] : ["--public-url", url, "--mail-url", "none", "--trusted-proxies", "none"]
            let process = try await Self.run(
                options + ["--allowed-emails", "*@example.com"], typing: isTyped ? [url] + none + none : [], in: folder)
            #expect(!process.log.contains("sender"), "\(process.log)")
            let settings = folder.text(of: ".env")
            #expect(settings.contains("\nIDP_MAIL_URL=none\n") && !settings.contains("IDP_MAIL_FROM"))
            #expect(!settings.contains("IDP_TRUSTED_PROXIES"), "an empty list is not written")
            let check = ProgramProcess("idp", ["check"], folder: folder)
            #expect(try await check.run() == .code(0), "\(check.output)")
        }
    }

    @Test("a value with a line break is refused: the file would have a setting that nobody was asked for")
    func lineBreak() async throws {
        let folder = try TemporaryFolder()
        let (rest, hostile) = ("\nIDP_ADMINS=bob@example.com", "*@example.com,\nIDP_ADMINS=bob@example.com")
        let file = try folder.write("outbox:var\(rest)", to: "mail-url")
        let lines = ["http://localhost:18490"] + Self.good.dropFirst(3)
        for (option, value, named) in [
            ("--allowed-emails", hostile, "--allowed-emails"), ("--mail-url", "outbox:var\(rest)", "--mail-url"),
            ("--mail-url", "outbox:var\r", "--mail-url"), ("--mail-url-file", file, "--mail-url-file"),
        ] {
            let process = try await Self.run([option, value], typing: lines, in: folder, endsWith: 64)
            #expect(process.log.contains(named) && process.log.contains("has a line break"), "\(process.log)")
            #expect(!FileManager.default.fileExists(atPath: folder.path(of: ".env")))
        }
    }

    @Test("a file with the mail server may have a login without a password, where a token is set")
    func tokenInFile() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("smtps://ann@mail.example.com\n", to: "mail-url")
        let lines = [Self.good[0]] + Self.good.dropFirst(3)
        let refused = try await Self.run(["--mail-url-file", file], typing: lines, in: folder, endsWith: 64)
        #expect(refused.log.contains("--mail-url-file: has a login without a password."), "\(refused.log)")
        try folder.write("IDP_MAIL_TOKEN_FILE=/run/token\n", to: ".env")
        _ = try await Self.run(["--mail-url-file", file], typing: lines, in: folder)
        #expect(folder.text(of: ".env").contains("\nIDP_MAIL_URL=smtps://ann@mail.example.com\n"))
    }
}
