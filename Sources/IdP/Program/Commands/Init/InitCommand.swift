import ArgumentParser
import Foundation
import IdPMail
import SSOShared
import SSOWeb

/// `idp init`: the settings that a service needs before its first start.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Asks for the settings that are needed, and writes them and the key.",
        usage: "idp init [<options>]",
        discussion: """
            Writes the settings file of the installed service, or .env in this folder where none is installed, and makes the \
            key unless there is one. Lines that stand in the file already stay. What is given as an option is not asked, and \
            without a terminal each answer is a line of standard input. Start it again to change an answer.

            Exit codes: 0 done, 1 a file cannot be written, 64 wrong usage or no answer.

            Example:
              idp init --public-url https://idp.example.com \\
                --mail-url-file /root/mail-url \\
                --mail-from 'Example Ltd <sign-in@example.com>' \\
                --allowed-emails '*@example.com' --trusted-proxies 127.0.0.1
            """)
    @Option(help: ArgumentHelp("The address that browsers see.", valueName: "url")) var publicURL: String?
    @Option(help: ArgumentHelp("The mail server, without a password.", valueName: "url")) var mailURL: String?
    @Option(help: ArgumentHelp("A file with the mail server, which may hold a password.", valueName: "file"))
    var mailURLFile: String?
    @Option(help: ArgumentHelp("The sender of emails.", valueName: "name <address>")) var mailFrom: String?
    @Option(help: ArgumentHelp("Who may sign in, such as *@example.com.", valueName: "list")) var allowedEmails: String?
    @Option(help: ArgumentHelp("The proxy in front, such as 127.0.0.1.", valueName: "networks"))
    var trustedProxies: String?
    @Option(
        name: .customLong("env-file"), help: ArgumentHelp("The file to write.", valueName: "file"),
        transform: FileArgument.read)
    var envFile: String?
    @Flag(help: "Print what is then there as JSON.") var json = false

    func validate() throws {
        if let mailURL, SettingsArguments.holdsPassword(mailURL) {
            throw ValidationError(
                "--mail-url: holds a password, and every user of this machine can read a command line. Use --mail-url-file."
            )
        }
        guard mailURL == nil || mailURLFile == nil else {
            throw ValidationError("--mail-url and --mail-url-file: give one of them.")
        }
        let options: [(String, String?, (String) -> String?)] = [
            ("--public-url", publicURL, InitAnswers.publicURL), ("--mail-from", mailFrom, InitAnswers.mailFrom),
            ("--mail-url", mailURL, { _ in nil }), ("--allowed-emails", allowedEmails, InitAnswers.allowedEmails),
            ("--trusted-proxies", trustedProxies, InitAnswers.trustedProxies),
        ]
        for (option, answer, problem) in options {
            guard let answer, let words = SettingsText.problem(with: answer) ?? problem(answer) else { continue }
            throw ValidationError("\(option): \(words)")
        }
    }

    func run() async throws {
        let place = InitPlace(envFile: envFile, service: InstalledService(IdPProgram.name))
        if let problem = place.problem { throw CommandExit.failure(IdPProgram.name, problem) }
        var answers = InitAnswers(before: place.reader)
        (answers.publicURL, answers.mailFrom) = (publicURL, mailFrom)
        (answers.allowedEmails, answers.trustedProxies) = (allowedEmails, trustedProxies)
        do {
            answers.mailURL = try mailURLFile.map(Self.content) ?? mailURL
            if mailURLFile != nil { answers.mailOption = "--mail-url-file" }
            try answers.complete(by: .ofProcess)
        } catch let missing as InitAnswers.Missing {
            throw CommandExit.failure(IdPProgram.name, "\(missing)", code: .validationFailure)
        }
        do {
            let isChanged = try place.write(answers)
            print(json ? place.json(isChanged) : place.words(isChanged))
        } catch {
            throw CommandExit.failure(IdPProgram.name, "\(error)")
        }
    }

    private static func content(of path: String) throws -> String {
        var problems: [String] = []
        let text = SecretFile.read(path, setting: "--mail-url-file") { problems.append($0) }
        let found = text?.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let found, problems.isEmpty else { throw InitAnswers.Missing(problems.joined(separator: " ")) }
        return found
    }
}
