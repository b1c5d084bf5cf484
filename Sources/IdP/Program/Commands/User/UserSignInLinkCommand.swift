import ArgumentParser
import IdPAccounts
import IdPClients
import IdPFlow
import IdPOperations
import SSOShared
import SSOWeb
import Storage

extension UserCommand {
    struct SignInLink: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign-in-link",
            abstract: "Prints a link that signs a user in for the first time, without mail.",
            usage: "idp user sign-in-link [<options>] <address>",
            discussion: """
                For an account that nobody has signed in to; it is made if IDP_ALLOWED_EMAILS names the address. Add any other \
                with idp user import first. The link works once, for ten minutes. It signs in as that user: give it to that user \
                alone. The user sets up a passkey then. --withdraw ends a link that was not used.

                Example: idp user sign-in-link ann@example.com
                """)
        @OptionGroup var account: AccountOptions
        @Flag(help: "End the link of before, and print none.") var withdraw = false

        func validate() throws { _ = try UserAddress.read(account.address) }

        func run() async throws {
            guard !withdraw else {
                return try await account.make(WithdrawLink(account.address)) { name, changed in
                    changed.isChanged ? "Ended the link of \(name)." : "\(name) has no link that could be ended."
                }
            }
            let (origin, eligibility) = try account.database.signInSettings()
            let (address, key) = (try UserAddress.read(account.address), try PrintedLinkKey())
            let link = origin.text + SignInPath.printedLink + "/" + key.wire
            let change = PrintLink(key, for: address, eligibility)
            guard account.json else {
                return try await account.make(change) { name, _ in
                    "A link for \(name), which works once and for 10 minutes:\n\(link)"
                }
            }
            _ = try await account.database.make(change)
            print(JSONText.object([.init("changed", true), .init("link", link)]))
        }
    }
}
