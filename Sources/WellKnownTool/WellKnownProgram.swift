import ArgumentParser

@main
struct WellKnownProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wellknown",
        abstract: "Lints, matches, explains, diffs and fetches apple-app-site-association and assetlinks.json.",
        subcommands: [FingerprintCommand.self])
}
