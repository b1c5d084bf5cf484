import ArgumentParser

/// Measures and torments the library from outside; not a product. script/bench and script/fuzz call it.
@main
struct WellKnownBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "WellKnownBench", abstract: "Speed and hostile input for the association-file library.",
        subcommands: [Fuzz.self, Speed.self])
}
