/// The words that people type for a command of this program, from other programs: `rm` for `remove`.
enum CommandSynonyms {
    /// What a word stands for among the commands that there are.
    ///
    /// - Parameter commands: the names of the commands at that place.
    /// - Returns: a command, with an option where it needs one. Nil for a word without a meaning there.
    static func of(_ word: String, among commands: [String]) -> String? {
        meanings[word.lowercased()]?.first { meaning in
            commands.contains { meaning == $0 || meaning.hasPrefix("\($0) ") }
        }
    }

    /// The same for the name of an option.
    static func ofOption(_ name: String, among options: [String]) -> String? {
        optionMeanings[name.lowercased()]?.first { options.contains($0) }
    }

    /// Each row: what is typed, and what it may stand for, the first that there is.
    private static let meanings = table([
        ("delete del rm remove destroy drop purge wipe erase unregister", "remove erase retire"),
        ("add create new make mk register insert", "add invite rotate"),
        ("list ls ll all index search find", "list show status"),
        ("show get info view cat describe display details inspect whoami", "show list status"),
        ("disable block lock suspend deactivate ban off freeze stop", "disable"),
        ("enable unblock unlock activate reactivate unsuspend unban on", "enable"),
        ("set update edit change modify configure put patch", "set"),
        ("rename move-address email mail address change-address set-email", "set-address set"),
        ("expire end until end-date set-until expiry", "set-end"),
        ("logout log-out log_out signout signoff logoff kick terminate", "sign-out leave"),
        ("end-session kill-session logout-session close", "end-session"),
        ("session logins devices browsers", "sessions"),
        ("export dump save download backup", "export copy"),
        ("import csv upload load sync bulk", "import"),
        ("resend send remind reinvite re-invite retry repeat again redeliver", "resend retry deliver"),
        ("invite invitation", "invite"),
        ("withdraw revoke cancel uninvite recall", "withdraw retire disable"),
        ("secret renew rollover roll regenerate reset refresh rotate", "rotate"),
        ("join add-user add-member member-add adduser assign enrol enroll", "join"),
        ("leave remove-user remove-member member-remove unassign part", "leave"),
        ("member members users", "show list"),
        ("clone move migrate transfer", "copy"),
        ("unmove unlock-database", "unmark"),
        ("nodes health", "status"),
        ("restore after-recovery", "after-restore"),
        ("tail follow watch log", "show --follow"),
        ("receive pipe", "deliver"),
        // Of the program itself.
        ("start run server daemon up", "serve"),
        ("test validate verify doctor lint config settings configtest status", "check"),
        ("log logs events history activity", "audit"),
        ("db sql", "database"),
        ("account accounts people person member", "user"),
        ("app apps service services rp site", "client"),
        ("role roles team teams", "group"),
        ("dump save", "backup"),
        ("logout logouts signouts slo", "sign-outs"),
        ("key jwks certs", "keys"),
    ])

    private static let optionMeanings = table([
        ("--from --after --start --begin --newer", "--since --after"),
        ("--to --before --end --older --expires --expiry --end-date", "--until"),
        ("--max --count --head --top --number -n", "--limit"),
        ("--state --status --pending --open --undelivered", "--state --waiting"),
        ("--query --filter --grep --find --text -q", "--search"),
        ("--role --team --groups -g", "--group"),
        ("--email --mail --account --address -u", "--user"),
        ("--app --service --rp --client-id -c", "--client"),
        ("--url --uri --redirect --callback --redirect-url --callback-url", "--redirect-uri"),
        ("--title --label --display-name --client-name", "--name"),
        ("--yes --assume-yes -y -f", "--force"),
        ("--simulate --what-if --test --check -n", "--dry-run"),
        ("--format -j", "--json"),
        ("--tail --watch -f", "--follow"),
        ("--db --database --database-url", "--idp-database-url"),
        ("--env --config --settings-file -c", "--env-file"),
        ("--secret --password --client-secret", "--secret-file"),
        ("--locale --lang -l", "--language"),
        ("--type --name --kind", "--event"),
        ("--ref --id", "--reference"),
        ("--logo-file --icon --image", "--logo"),
        ("--days --keep --grace", "--after"),
        ("--undo --abort --revert", "--cancel"),
        ("--immediately --at-once", "--now"),
        ("--help-all --options --settings", "--help-settings"),
        ("-v -V", "--version"),
    ])

    private static func table(_ rows: [(typed: String, meant: String)]) -> [String: [String]] {
        var table: [String: [String]] = [:]
        for row in rows {
            let meanings =
                row.meant.hasPrefix("show --") ? [row.meant] : row.meant.split(separator: " ").map(String.init)
            for word in row.typed.split(separator: " ") { table[String(word), default: []] += meanings }
        }
        return table
    }
}
