import ArgumentParser
import CommandLines
import IdPClients
import IdPSigningKeys
import SSOShared
import SSOWeb
import Storage

/// `idp keys …`: the keys that sign ID tokens and logout tokens.
struct KeysCommand: CommandOfCommands {
    typealias Root = IdPCommand

    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Shows the keys that sign ID tokens, and replaces them.",
        discussion: """
            The keys are made and replaced by themselves: every 90 days, published 24 hours before use. A command is needed \
            after a leak only. Works on the database of a running IdP: every change holds from the next request on.

            Example: idp keys list

            Exit codes: 0 done or nothing to do, 1 no such key, refused, or an error of the database, 64 wrong usage, 78 a \
            wrong setting.
            """,
        subcommands: [List.self, Rotate.self, Retire.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Prints all keys.", usage: "idp keys list [<options>]",
            discussion: "Example: idp keys list --json")
        @Flag(help: "Print a JSON array.") var json = false
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let keys = try await database.open(onlyReading: true) {
                try await $0.read { try SigningKeyStore().all($0) }
            }
            print(KeyOutput.list(keys, asJSON: json))
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate", abstract: "Makes new keys, which sign after 24 hours.",
            usage: "idp keys rotate [<options>]",
            discussion: """
                With --now they sign at once and the old ones are removed: ID tokens of the last ten minutes become invalid, \
                and clients that keep the list of keys for longer than that need a moment. Nobody is signed out. Needs \
                IDP_SECRET_KEY, which seals the keys.

                Example: idp keys rotate --now
                """)
        @Flag(help: "After a leak: use the new keys at once, and remove the old ones.") var now = false
        @Flag(help: "Print what is then there as JSON.") var json = false
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let box = SigningKeyBox(keys: try await database.requiredKeys(), randomness: SystemRandomness())
            let change = RotateKeys(box, isAtOnce: now)
            let changed = try await database.make(change)
            print(KeyOutput.changed(changed, asJSON: json))
        }
    }

    struct Retire: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retire", abstract: "Removes a key that does not sign, before its time.",
            usage: "idp keys retire [<options>] <kid>",
            discussion: "Example: idp keys retire NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
        @Argument(help: "The key, as idp keys list prints it.") var kid: String
        @Flag(help: "Print what is then there as JSON.") var json = false
        @OptionGroup var database: DatabaseOptions

        func validate() throws {
            guard Base64URL.decode(kid)?.count == 32 else {
                throw ValidationError(
                    "KID: \"\(kid)\" must be 43 base64url characters, for example NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs."
                )
            }
        }

        func run() async throws {
            let change = RetireKey(kid)
            let changed = try await database.make(change)
            print(KeyOutput.changed(changed, asJSON: json))
        }
    }
}

/// How commands print keys.
enum KeyOutput {
    static func list(_ keys: [SigningKey], asJSON json: Bool) -> String {
        let now = ServiceClock.system().now()
        if json { return ListOutput.json(keys.map { JSONText.object(members($0, keys, now)) }) }
        guard !keys.isEmpty else { return "There is no key yet. The first ones are made when a client needs them." }
        return CommandTable.text(
            ["KEY", "ALGORITHM", "STATE", "MADE", "SIGNS FROM"],
            keys.map {
                [
                    $0.id, $0.algorithm.rawValue, $0.state(among: keys, at: now).rawValue,
                    PlainDate.rfc3339($0.createdAt), PlainDate.rfc3339(max($0.usedFrom, $0.createdAt)),
                ]
            })
    }

    static func changed(_ changed: Changed<[SigningKey]>, asJSON json: Bool) -> String {
        let now = ServiceClock.system().now()
        guard json else {
            return changed.isChanged ? list(changed.result, asJSON: false) : "Nothing to do: there is no key yet."
        }
        return JSONText.object([
            .init("changed", changed.isChanged), .init("keys", changed.result.map { members($0, changed.result, now) }),
        ])
    }

    private static func members(_ key: SigningKey, _ keys: [SigningKey], _ now: Timestamp) -> [JSONText.Member] {
        [
            .init("kid", key.id), .init("alg", key.algorithm.rawValue),
            .init("state", key.state(among: keys, at: now).rawValue),
            .init("created_at", PlainDate.rfc3339(key.createdAt)),
            .init("used_from", PlainDate.rfc3339(max(key.usedFrom, key.createdAt))),
        ]
    }
}
