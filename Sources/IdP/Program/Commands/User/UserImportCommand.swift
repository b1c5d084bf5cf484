import ArgumentParser
import Foundation
import IdPClients
import IdPOperations
import IdPServer
import SSOShared
import SSOWeb
import Storage

extension UserCommand {
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Adds the users of a CSV file. A second run changes nothing.",
            usage: "idp user import [<options>] <file>",
            discussion: """
                The first line names the columns: email,name,groups,until. Groups are separated by ; and must exist. A day such as \
                2027-06-30 holds to its end in UTC. UTF-8, RFC 4180, at most 10000 lines and 1 MiB. The whole file is imported, \
                or nothing: every fault is reported with its line. A name is that of a new account; users change theirs. A group \
                that is missing from a line is not left. Nothing is sent without --invite.

                Exit codes: 0 done or nothing to do, 1 a fault of the file, refused, or the database, 64 wrong usage, 78 a wrong \
                setting. With --dry-run the same: one that would be refused prints its plan, the reason on standard error, and ends \
                with 1.

                Example: idp user import users.csv --sync --dry-run
                """)
        @Argument(help: "The file, or - for standard input.", transform: FileArgument.read) var file: String
        @Flag(help: "Print what would be done, and change nothing.") var dryRun = false
        @Flag(help: "Also disable imported users who are missing from the file.") var sync = false
        @Option(
            help: ArgumentHelp(
                "With --sync: disable so many users at most. Without it, at most 5 % or 5, and never all.",
                valueName: "count"))
        var disableAtMost: Int?
        @Flag(help: "Invite those who have not signed in and were not invited. Needs IDP_SECRET_KEY.") var invite =
            false
        @Option(help: ArgumentHelp("With --invite: the client that users go on to.", valueName: "id"))
        var client: String?
        @Option(
            help: ArgumentHelp(
                "With --invite: the language of the emails, en, de, or another one of IDP_LANGUAGES_DIR.",
                valueName: "language"), transform: LanguageArgument.read)
        var language: Language?
        @Flag(help: "Print a JSON object.") var json = false
        @OptionGroup var database: DatabaseOptions

        func validate() throws {
            if let most = disableAtMost {
                guard sync else { throw ValidationError("--disable-at-most: has a meaning only with --sync.") }
                guard most >= 0 else {
                    throw ValidationError("--disable-at-most: \(most) must be a whole number from 0, for example 20.")
                }
            }
            if client != nil || language != nil, !invite {
                throw ValidationError("--client and --language: have a meaning only with --invite.")
            }
            if let client { try ClientArgument.check(client) }
        }

        func run() async throws {
            if invite {
                try database.requireMail(
                    instead: "Leave --invite out, and print links: idp user sign-in-link ADDRESS")
            }
            try LanguageArgument.check(language ?? .english, database)
            let keys = invite ? try await database.requiredKeys() : nil
            let users = ImportFile(try read())
            var options = ImportPlan.Options()
            (options.syncs, options.disableAtMost, options.invites) = (sync, disableAtMost, invite)
            (options.client, options.language) = (client, language ?? .english)
            do {
                let plan = try await database.open(onlyReading: dryRun) { [options] database in
                    let change = ImportUsers(users, options, mail: keys.map { InvitationMail($0, on: database) })
                    guard dryRun else {
                        return try await OperatorChanges(database, by: .ofCommand()).make(change).result
                    }
                    let now = ServiceClock.system().now()
                    return try await database.read { try change.plan(at: now, $0) }
                }
                print(json ? jsonText(plan) : text(plan))
                if let refusal = plan.refusal { throw CommandExit.failure(IdPProgram.name, refusal) }
                try await ClientArgument.warn(client, database)
            } catch let faults as ImportUsers.Faults {
                throw report(faults.faults)
            }
        }

        private func read() throws -> [UInt8] {
            // One byte more than is allowed is enough to refuse it.
            let limit = ImportFile.maximumBytes + 1
            do {
                guard let handle = file == "-" ? FileHandle.standardInput : RegularFile.open(file) else {
                    throw SettingError(
                        FileManager.default.fileExists(atPath: file)
                            ? "It is no regular file, or may not be read." : "There is no such file.")
                }
                var bytes: [UInt8] = []
                while bytes.count < limit, let part = try handle.read(upToCount: limit - bytes.count), !part.isEmpty {
                    bytes += part
                }
                return bytes
            } catch {
                throw CommandExit.failure(
                    IdPProgram.name,
                    "\(file) cannot be read: \((error as? SettingError)?.description ?? error.localizedDescription) Name a CSV file such as users.csv, or - for standard input."
                )
            }
        }

        private func report(_ faults: [CSVFile.LineError]) -> ExitCode {
            if json {
                print(
                    JSONText.object([
                        .init("changed", false),
                        .init("faults", faults.map { [.init("line", $0.line), .init("message", $0.text)] }),
                    ]))
            }
            for fault in faults {
                _ = CommandExit.failure(IdPProgram.name, "\(file), line \(fault.line): \(fault.text)")
            }
            let count = "\(faults.count) fault\(faults.count == 1 ? "" : "s")"
            return CommandExit.failure(IdPProgram.name, "\(file): \(count). Nothing was changed.")
        }

        private func jsonText(_ plan: ImportPlan) -> String {
            JSONText.object([
                .init("changed", !dryRun && !plan.steps.isEmpty), .init("dry_run", dryRun),
                .init("added", plan.emails(.add)), .init("updated", plan.emails(.update)),
                .init("disabled", plan.emails(.disable)), .init("invited", plan.invited),
                .init("unchanged", plan.unchanged), .init("still_disabled", plan.stillDisabled),
            ])
        }

        private func text(_ plan: ImportPlan) -> String {
            let lines = plan.steps.map { step -> String in
                let sign =
                    switch step.kind {
                    case .add: "+"
                    case .update, .invite: "~"
                    case .disable: "-"
                    }
                let details =
                    step.details + (step.isInvited ? ["invited"] : []) + (step.kind == .disable ? ["disabled"] : [])
                return "\(sign) \(step.email)\(details.isEmpty ? "" : "  \(details.joined(separator: ", "))")"
            }
            let counts =
                "\(plan.emails(.add).count) added, \(plan.emails(.update).count) updated, "
                + "\(plan.emails(.disable).count) disabled, \(plan.invited.count) invited, \(plan.unchanged) unchanged."
            let disabled =
                plan.stillDisabled.isEmpty
                ? []
                : [
                    "Still disabled: \(plan.stillDisabled.joined(separator: ", ")). To change that: idp user enable ADDRESS"
                ]
            return (lines + [dryRun ? "Would be: \(counts) Nothing was changed." : counts] + disabled).joined(
                separator: "\n")
        }
    }
}
