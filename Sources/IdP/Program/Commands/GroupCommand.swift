import ArgumentParser
import CommandLines
import IdPAccounts
import IdPClients
import IdPOperations
import SSOShared
import SSOWeb
import Storage

/// `idp group …`: who is in which group, beside a running IdP.
struct GroupCommand: CommandOfCommands {
    typealias Root = IdPCommand

    static let configuration = CommandConfiguration(
        commandName: "group", abstract: "Makes groups of users, which decide who may enter which client.",
        discussion: """
            Works on the database of a running IdP: every change holds from the next request on, in all processes. A client \
            lets a group in with idp client set ID --group finance, or with groups: [finance] in IDP_CLIENTS_FILE, which these \
            commands read if it is set.

            Example: idp group add finance && idp group join finance ann@example.com

            Exit codes: 0 done or nothing to do, 1 no such group or account, refused, or an error of the database, 64 wrong \
            usage, 78 a wrong setting.
            """,
        subcommands: [Add.self, List.self, Show.self, Remove.self, Join.self, Leave.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Makes a group without members. At most 200 exist.",
            usage: "idp group add [<options>] <group>",
            discussion: "Example: idp group add finance")
        @OptionGroup var group: GroupOptions

        func run() async throws {
            let made = try await group.database.make(MakeGroup(group.group))
            group.report(
                made.isChanged,
                made.isChanged
                    ? "Made the group \(group.group). Add users: idp group join \(group.group) ADDRESS"
                    : "There is a group \(group.group) already.")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Prints all groups, by id.", usage: "idp group list [<options>]",
            discussion: "Example: idp group list --json")
        @Flag(help: "Print a JSON array.") var json = false
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let groups = try await database.open(onlyReading: true) { try await $0.read { try GroupStore.all($0) } }
            if json { return print(GroupOutput.json(groups)) }
            ListOutput.print(GroupOutput.header, groups.map(GroupOutput.row), none: "groups")
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Prints one group: its members, and the clients that name it.",
            usage: "idp group show [<options>] <group>",
            discussion: "Example: idp group show finance")
        @OptionGroup var group: GroupOptions

        func run() async throws {
            let id = group.group
            let file = try group.registeredClients()
            let found = try await group.database.open(onlyReading: true) {
                try await $0.read { connection in
                    guard let group = try GroupStore.find(id, connection) else {
                        throw ChangeError(try UnknownName.group(id, connection))
                    }
                    return GroupOutput(
                        group, members: try GroupStore.members(of: id, connection),
                        clients: try KnownClients(file: file, connection).all)
                }
            }
            print(group.json ? found.json : found.text)
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Removes a group and its memberships. Refused while a client names it.",
            usage: "idp group remove [<options>] <group>",
            discussion: """
                The clients of IDP_CLIENTS_FILE are those that the running IdP has read last, and those of the file as it is now.

                Example: idp group remove finance
                """)
        @OptionGroup var group: GroupOptions
        @Flag(help: "Also when it has members, or only the file that the running IdP has read names it.")
        var force = false

        func run() async throws {
            let removed = try await group.database.make(
                RemoveGroup(group.group, file: try group.registeredClients(), isForced: force))
            let members = removed.result
            let loss = members == 0 ? "" : " \(members) member\(members == 1 ? " has" : "s have") lost it."
            group.report(removed.isChanged, "Removed the group \(group.group).\(loss)", .init("members", members))
        }
    }

    struct Join: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "join", abstract: "Adds users to a group: all of them or, if one has no account, none.",
            usage: "idp group join [<options>] <group> <addresses> ...",
            discussion: "A user is in at most 100 groups.\n\nExample: idp group join finance ann@example.com")
        @OptionGroup var members: MemberOptions

        func run() async throws {
            let group = members.group
            let joined = try await group.database.make(JoinGroup(group.group, members.addresses))
            group.report(
                joined.isChanged,
                joined.isChanged
                    ? "Added to \(group.group): \(joined.result.joined(separator: ", "))."
                    : "All of them are in \(group.group) already.", .init("joined", joined.result))
        }
    }

    struct Leave: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "leave", abstract: "Takes users out of a group: all of them or, if one has no account, none.",
            usage: "idp group leave [<options>] <group> <addresses> ...",
            discussion: """
                They lose access to the clients that let in this group and none of their others, from the next request on.

                Example: idp group leave finance ann@example.com
                """)
        @OptionGroup var members: MemberOptions

        func run() async throws {
            let group = members.group
            // A fault of the file must not keep anybody in.
            let file = (try? group.registeredClients()) ?? ClientRegistry([])
            let left = try await group.database.make(LeaveGroup(group.group, members.addresses, file: file))
            let lost = left.result.lost.map { "\($0.client) (\($0.users))" }.joined(separator: ", ")
            let loss = lost.isEmpty ? "" : " Access is lost to: \(lost)."
            group.report(
                left.isChanged,
                left.isChanged
                    ? "Taken out of \(group.group): \(left.result.addresses.joined(separator: ", ")).\(loss)"
                    : "None of them is in \(group.group).", .init("left", left.result.addresses),
                .init("lost", left.result.lost.map { [.init("client", $0.client), .init("users", $0.users)] }))
        }
    }
}

/// The group that a command is about.
struct GroupOptions: ParsableArguments {
    @Argument(help: "The group's id: \(ClientID.rule), for example finance.") var group: String
    @Flag(help: "Print a JSON object.") var json = false
    @OptionGroup var database: DatabaseOptions

    func validate() throws {
        guard ClientID.isWellFormed(group) else {
            throw ValidationError(
                "\"\(group)\" must be the id of a group: \(ClientID.rule), for example finance."
                    + UnseenCharacter.sentence(about: group, after: ""))
        }
    }

    /// The clients of the file and of the `SSO_…` settings.
    ///
    /// - Throws: exit code 78 after all their problems were printed.
    func registeredClients() throws -> ClientRegistry {
        try database.registry(needsKeys: false, printingWarnings: false).file
    }

    /// Prints what was done.
    func report(_ isChanged: Bool, _ words: String, _ further: JSONText.Member...) {
        print(json ? JSONText.object([.init("changed", isChanged), .init("group", group)] + further) : words)
    }
}

/// The users that a command adds or takes out.
struct MemberOptions: ParsableArguments {
    @OptionGroup var group: GroupOptions
    @Argument(help: "The email addresses of the users.", transform: UserAddress.stored) var addresses: [String]

    func validate() throws {
        for address in addresses where address.split(separator: "@", omittingEmptySubsequences: false).count != 2 {
            let hint =
                address.contains(",") ? "Write blanks between several, no commas." : "Use one such as ann@example.com."
            throw ValidationError("\"\(address)\" is not an email address. \(hint)")
        }
    }
}

/// How commands print groups.
struct GroupOutput {
    static let header = ["GROUP", "MEMBERS", "CREATED"]

    private let group: UserGroup
    private let members, lettingIn, told: [String]

    init(_ group: UserGroup, members: [String], clients: [KnownClients.Known]) {
        (self.group, self.members) = (group, members)
        lettingIn = clients.filter { $0.access.names(group.id) }.map(\.id)
        told = clients.filter { $0.exposed.contains(group.id) }.map(\.id)
    }

    static func row(_ group: UserGroup) -> [String] {
        [group.id, String(group.memberCount), PlainDate.rfc3339(group.createdAt)]
    }

    static func json(_ groups: [UserGroup]) -> String {
        ListOutput.json(
            groups.map { group in
                JSONText.object([
                    .init("id", group.id), .init("member_count", group.memberCount),
                    .init("created_at", PlainDate.rfc3339(group.createdAt)),
                ])
            })
    }

    var json: String {
        JSONText.object([
            .init("id", group.id), .init("created_at", PlainDate.rfc3339(group.createdAt)), .init("members", members),
            .init("clients", lettingIn), .init("exposed_to", told),
        ])
    }

    var text: String {
        func line(_ name: String, _ items: [String]) -> String {
            "\(name)  \(items.isEmpty ? "-" : items.joined(separator: ", "))"
        }
        return [
            "group    \(group.id)", "created  \(PlainDate.rfc3339(group.createdAt))", line("clients", lettingIn),
            line("exposed", told), line("members", members),
        ].joined(separator: "\n")
    }
}
