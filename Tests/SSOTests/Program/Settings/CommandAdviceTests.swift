import ArgumentParser
import SSOWeb
import Testing

@testable import CommandLines
@testable import IdP
@testable import SSOWeb
@testable import TestKit

/// What is said about a mistyped command line, without running it.
@Suite("A mistyped command line", .program)
struct CommandAdviceTests {
    private static func text(_ line: String) -> String? {
        let settings = SettingsArguments.names(known: IdPProgram.settingNames, secrets: IdPProgram.secretNames)
        return CommandAdvice(IdPCommand.self, settings: settings)
            .problem(in: line.split(separator: " ").map(String.init))?.text
    }

    /// The line, and the question in the answer.
    private static let words: [(line: String, question: String)] = [
        ("user delete ann@example.com", "Did you mean: idp user erase?"),
        ("user remove a", "Did you mean: idp user erase?"), ("user rm a", "Did you mean: idp user erase?"),
        ("user add ann@example.com", "Did you mean: idp user invite?"), ("user create a", "idp user invite?"),
        ("user new a", "idp user invite?"), ("user ls", "idp user list?"), ("user search ann", "idp user list?"),
        ("user get a", "idp user show?"), ("user lock a", "idp user disable?"), ("user block a", "idp user disable?"),
        ("user unlock a", "idp user enable?"), ("user logout a", "idp user sign-out?"),
        ("user kick a", "idp user sign-out?"), ("user signout a", "idp user sign-out?"),
        ("user rename a b", "idp user set-address?"), ("user expire a", "idp user set-end?"),
        ("user devices a", "idp user sessions?"),
        ("user dump a", "idp user export?"), ("user csv a", "idp user import?"), ("user sess a", "idp user sessions?"),
        ("user remind a", "idp user resend?"), ("user lst", "idp user list?"), ("user LIST", "idp user list?"),
        ("client create w", "idp client add?"), ("client ad w", "idp client add?"),
        ("client rm w", "idp client remove?"),
        ("client update w", "idp client set?"), ("client edit w", "idp client set?"),
        ("client block w", "idp client disable?"), ("client secret w", "idp client rotate?"),
        ("client info w", "idp client show?"), ("client revoke w", "idp client retire?"),
        ("group create g", "idp group add?"), ("group delete g", "idp group remove?"),
        ("group add-user g a", "idp group join?"), ("group remove-user g a", "idp group leave?"),
        ("group kick g a", "idp group leave?"), ("group members g", "idp group show?"),
        ("sign-outs ls", "idp sign-outs list?"), ("sign-outs resend e", "idp sign-outs retry?"),
        ("keys new", "idp keys rotate?"), ("keys remove k", "idp keys retire?"), ("keys show", "idp keys list?"),
        ("database move", "idp database copy?"), ("database nodes", "idp database status?"),
        ("mail send", "idp mail deliver?"), ("audit list", "idp audit show?"),
        ("audit tail", "idp audit show --follow?"),
        ("audit dump", "idp audit export?"), ("help usr", "Did you mean user?"), ("help user lst", "idp user list?"),
        ("users", "Did you mean user?"), ("signouts", "Did you mean sign-outs?"),
        ("db status", "Did you mean database?"),
        ("accounts", "Did you mean user?"), ("logs", "Did you mean audit?"), ("start", "Did you mean serve?"),
        ("configtest", "Did you mean check?"), ("invite ann@example.com", "Did you mean user invite?"),
        ("rotate", "Did you mean client rotate or keys rotate?"), ("version", "Did you mean --version?"),
        ("bakup f", "Did you mean backup?"),
    ]

    @Test("a word that is no command leads to the one that was meant")
    func commands() {
        for row in Self.words {
            let text = Self.text(row.line) ?? "nothing"
            #expect(text.contains(row.question), "\(row.line): \(text)")
            #expect(text.contains("commands are "), "\(row.line): \(text)")
        }
        #expect(
            Self.text("keys magic") == "\"magic\" is not a command of idp keys. Its commands are list, rotate, retire.")
    }

    @Test("help about a word that is like no command says so, at the first word as at the second")
    func help() throws {
        for (line, whole) in [("help nosuch", "idp"), ("help client nosuch", "idp client")] {
            let text = try #require(Self.text(line))
            #expect(text.hasPrefix("\"nosuch\" is not a command of \(whole). Its commands are "), "\(text)")
        }
    }

    private static let options: [(line: String, text: String)] = [
        (
            "client set wiki --redirect-uris https://a.example/",
            "Unknown option --redirect-uris. Did you mean --redirect-uri?"
        ),
        ("client set wiki --nmae X", "Unknown option --nmae. Did you mean --name?"),
        ("client set wiki name=X", "\"name=X\" is one argument too many. Did you mean --name?"),
        ("client add wiki --title W", "Unknown option --title. Did you mean --name?"),
        ("user invite a@example.com --lang de", "Unknown option --lang. Did you mean --language?"),
        ("user invite a@example.com --expires 2027-01-01", "Unknown option --expires. Did you mean --until?"),
        ("user list --status active", "Unknown option --status. Did you mean --state?"),
        ("user list --JSON", "Unknown option --JSON. Did you mean --json?"),
        ("user list -json", "Unknown option -json. Did you mean --json?"),
        ("user list --filter ann", "Unknown option --filter. Did you mean --search?"),
        ("user list --max 3", "Unknown option --max. Did you mean --limit?"),
        ("user list ann", "\"ann\" is one argument too many. Did you mean --search ann?"),
        ("group list ann", "\"ann\" is one argument too many. idp group list takes options only."),
        ("audit -f", "Unknown option -f. Did you mean --follow?"),
        ("audit -x", "Unknown option -x. idp audit --help lists all."),
        ("restore f --keep-identity", "Unknown option --keep-identity. Did you mean --keep-identities?"),
        ("sign-outs list --state waiting", "Unknown option --state. Did you mean --waiting?"),
        (
            "user list --limit -5",
            "--limit: \"-5\" begins with -, so it is no value of the option. At most so many accounts, from 1 to 1000."
        ),
        (
            "user disable a@example.com b@example.com",
            "\"b@example.com\" is one argument too many. idp user disable takes <address> and options."
        ),
        ("user --json list", "--json stands before the command. Options come after it: idp user list --json"),
        ("--json user list", "--json stands before the command. Options come after it: idp user list --json"),
        ("user import f --simulate", "Unknown option --simulate. Did you mean --dry-run?"),
        ("audit --from 24h", "Unknown option --from. Did you mean --since?"),
        ("audit --to 24h", "Unknown option --to. Did you mean --until?"),
        ("audit --watch", "Unknown option --watch. Did you mean --follow?"),
        ("keys rotate now", "\"now\" is one argument too many. Did you mean --now?"),
        ("group remove g --yes", "Unknown option --yes. Did you mean --force?"),
        ("sign-outs list --waitng", "Unknown option --waitng. Did you mean --waiting?"),
        ("sign-outs list --email a@example.com", "Unknown option --email. Did you mean --user?"),
        ("check --conect", "Unknown option --conect. Did you mean --connect?"),
        ("serve --idp-lisen a", "Unknown option --idp-lisen. Did you mean --idp-listen?"),
        ("--idp-lisen a", "Unknown option --idp-lisen. Did you mean --idp-listen?"),
        ("--verison", "Unknown option --verison. Did you mean --version?"),
        ("serve --nothing-like-it", "Unknown option --nothing-like-it. --help-settings lists all settings."),
        ("client set wiki --nothing-like-it", "Unknown option --nothing-like-it. idp client set --help lists all."),
        ("user show a@example.com --x\u{1b}[2J", "Unknown option --x\\u001b[2J. idp user show --help lists all."),
    ]

    @Test("an unknown option or argument is named before anything else, with the nearest one")
    func unknownOptions() {
        for row in Self.options { #expect(Self.text(row.line) == row.text, "\(row.line)") }
    }

    @Test(
        "what is right, or what the parser says better, is left to the parser",
        arguments: [
            "user list --limit 5 --json", "user list --limit", "client add wiki --redirect-uri",
            "client set wiki --no-hidden --public", "group join g a@example.com b@example.com", "check --connect",
            "serve --idp-listen 127.0.0.1:9090 --log-level=notice", "--help", "user --help", "user list -h",
            "backup -- -x",
            "audit --since 24h --json", "status-of-nothing", "user",
        ])
    func rest(line: String) { #expect(Self.text(line) == nil) }

    /// Every command with its words.
    private static func all(
        of command: any ParsableCommand.Type = IdPCommand.self, _ path: [String] = ["idp"]
    ) -> [(path: [String], command: any ParsableCommand.Type)] {
        [(path, command)]
            + command.configuration.subcommands.flatMap { all(of: $0, path + [$0._commandName]) }
    }

    @Test("--help is at most 80 columns wide, has an example at every command, and --json where there is data")
    func helpText() {
        let commands = Self.all()
        #expect(commands.count > 50)
        for (path, command) in commands {
            let name = path.joined(separator: " ")
            let help = IdPCommand.helpMessage(for: command, columns: 80)
            #expect(help.split(separator: "\n").filter { $0.count > 80 } == [], "\(name)")
            let lines = command.configuration.discussion.split(separator: "\n", omittingEmptySubsequences: false)
            let example = lines.drop { !$0.hasPrefix("Example") }.prefix { !$0.isEmpty }
            // A line that is wrapped cannot be copied.
            #expect(example.allSatisfy { $0.count <= 78 && help.contains($0) }, "\(name): \(example)")
            guard command.configuration.subcommands.isEmpty else { continue }
            #expect(help.contains("Example"), "\(name)")
            #expect(
                help.contains("--json") || ["idp serve", "idp check", "idp mail deliver"].contains(name), "\(name)")
            #expect(help.contains("USAGE: \(name)"), "\(name)")
        }
    }
}
