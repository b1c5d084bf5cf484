import ArgumentParser
import IdPAccounts
import IdPClients
import IdPMail
import IdPOperations
import IdPServer
import IdPSignIn
import SSOShared
import SSOWeb
import Storage

extension InvitationMail {
    /// For a command, whose emails leave from the running IdP.
    init(_ keys: DerivedKeys, on database: any Database) {
        self.init(
            InvitationKeys(keys),
            sender: InvitationQueue(
                MailQueue(database: database, clock: .system(), capacity: MailCapacity(limit: 1))))
    }
}

extension UserCommand {
    struct Invite: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "invite",
            abstract: "Adds an account and sends its user an email with a link to the sign-in page.",
            usage: "idp user invite [<options>] <address>",
            discussion: """
                The user gets a code by email there: the link alone signs nobody in. It works for 7 days. The account may sign \
                in whatever IDP_ALLOWED_EMAILS names. An account that was signed in to gets the groups, and nothing is \
                sent. At most 500 invitations are sent within 24 hours, and 10 in a minute.

                Needs IDP_SECRET_KEY, the one of the running IdP.

                Example:
                  idp user invite ann@example.com --name "Ann Lee" --from "Team IT" \\
                    --group staff --client wiki --until 2027-06-30 --language de
                """)
        @OptionGroup var account: AccountOptions
        @Option(
            help: ArgumentHelp("A group that the user joins, by its id. May be given several times.", valueName: "id"))
        var group: [String] = []
        @Option(help: ArgumentHelp("What services call the user, for a new account.", valueName: "name"))
        var name: String?
        @Option(help: ArgumentHelp("Who invites, as the email says it.", valueName: "name"))
        var from: String?
        @Option(help: ArgumentHelp("The client that the user goes on to, by its id.", valueName: "id"))
        var client: String?
        @Option(help: ArgumentHelp("The last day on which the account may sign in.", valueName: "date"))
        var until: String?
        @Option(
            help: ArgumentHelp("Of the email: en, de, or another one of IDP_LANGUAGES_DIR.", valueName: "language"),
            transform: LanguageArgument.read)
        var language = Language.english

        func validate() throws {
            _ = try UserAddress.read(account.address)
            _ = try until.map { try DayArgument.read($0, "--until") }
            if let client { try ClientArgument.check(client) }
            for group in group { try GroupArgument.check(group) }
            for (option, value) in [("--name", name), ("--from", from)] {
                guard let value, DisplayName.normalised(value) == nil else { continue }
                throw ValidationError("\(option): a name has 1 to \(DisplayName.maximumLength) visible characters.")
            }
        }

        func run() async throws {
            try account.refuseWithoutMail()
            try LanguageArgument.check(language, account.database)
            let (address, keys) = (try UserAddress.read(account.address), try await account.database.requiredKeys())
            let end = try until.map { try DayArgument.read($0, "--until") }
            try await account.make(
                { database in
                    InviteUser(
                        address, name: name.flatMap(DisplayName.normalised), from: from.flatMap(DisplayName.normalised),
                        groups: group, client: client, end: end, language: language,
                        mail: InvitationMail(keys, on: database))
                }, account: \.account
            ) { name, changed in
                let added = changed.isChanged ? "Added \(name). " : ""
                if changed.result.isSent {
                    return "Invited \(name): the email is queued, and its link works for 7 days."
                }
                return changed.result.isUser
                    ? "\(added)\(name) has signed in before: nothing was sent."
                    : "\(added)\(name) is invited already: nothing was sent. To send it again: idp user resend \(address.text)"
            }
            try await ClientArgument.warn(client, account.database)
        }
    }

    struct Resend: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "resend", abstract: "Sends an invitation again, with a new link. The link of before ends.",
            usage: "idp user resend [<options>] <address>",
            discussion: """
                Also for an account that was imported and has no invitation yet.

                Needs IDP_SECRET_KEY, the one of the running IdP.

                Example: idp user resend ann@example.com
                """)
        @OptionGroup var account: AccountOptions

        func run() async throws {
            try account.refuseWithoutMail()
            let keys = try await account.database.requiredKeys()
            try await account.make(
                { ResendInvitation(account.address, mail: InvitationMail(keys, on: $0)) }, account: \.account
            ) { name, _ in "Invited \(name) again: the email is queued, and its link works for 7 days." }
        }
    }

    struct Withdraw: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "withdraw", abstract: "Takes an invitation back before its user has signed in.",
            usage: "idp user withdraw [<options>] <address>",
            discussion: """
                The link ends, and the account may sign in only if IDP_ALLOWED_EMAILS names its address. An account that was \
                imported stays added.

                Example: idp user withdraw ann@example.com
                """)
        @OptionGroup var account: AccountOptions

        func run() async throws {
            try await account.make(WithdrawInvitation(account.address)) { name, changed in
                changed.isChanged
                    ? "Withdrew the invitation of \(name)." : "\(name) has no invitation that could be withdrawn."
            }
        }
    }
}

extension AccountOptions {
    /// Refuses an invitation where no email is sent. A printed link does the same.
    fileprivate func refuseWithoutMail() throws {
        try database.requireMail(
            instead: "Print a link: idp user sign-in-link \(address), after idp user import if IDP_ALLOWED_EMAILS does "
                + "not name the address")
    }
}

/// A language that a command takes.
enum LanguageArgument {
    @Sendable static func read(_ text: String) throws -> Language {
        guard let language = Language(rawValue: text) else {
            throw ValidationError("\"\(text)\" must be a language, for example de.")
        }
        return language
    }

    /// - Throws: exit code 64 for a language that the running IdP does not have.
    static func check(_ language: Language, _ database: DatabaseOptions) throws {
        guard !Language.builtIn.contains(language) else { return }
        let added = try database.addedLanguages()
        guard !added.contains(language) else { return }
        throw ValidationError(
            "--language: there is no \(language.rawValue) here. Use en or de, or add it: IDP_LANGUAGES_DIR in docs/languages.md."
        )
    }
}

/// The id of a group that a command takes.
enum GroupArgument {
    static func check(_ id: String) throws {
        guard !ClientID.isWellFormed(id) else { return }
        throw ValidationError(
            "--group: \"\(id)\" must be \(ClientID.rule), for example finance.\(UnseenCharacter.sentence(about: id, after: ""))"
        )
    }
}

/// The id of a client that a command takes.
enum ClientArgument {
    /// Warns of a client that there is not: it may be added later.
    static func warn(_ id: String?, _ database: DatabaseOptions) async throws {
        guard let id else { return }
        let problem = try await database.open { try await $0.read { try KnownClients($0).problem(with: id) } }
        if let problem { ListOutput.warn("--client: \(problem) Until there is one, the link leads to the home page.") }
    }

    static func check(_ id: String) throws {
        guard !ClientID.isWellFormedForOpenID(id) else { return }
        throw ValidationError(
            "--client: \"\(id)\" must be \(ClientID.openIDRule), for example wiki.\(UnseenCharacter.sentence(about: id, after: ""))"
        )
    }
}
