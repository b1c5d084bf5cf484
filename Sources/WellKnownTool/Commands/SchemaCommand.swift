import ArgumentParser
import WellKnown

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON schema of a file, for editors.",
        discussion: """
            JSON Schema draft 2020-12. It accepts what lint has no error for, and refuses errors of structure. How editors \
            take it: docs/universal-links.md.

            Example: wellknown schema aasa > aasa.schema.json

            Exit codes: 0 printed; 64 wrong usage.
            """)

    @Argument(help: "aasa or assetlinks.") var kind: AssociationKind

    func run() { StandardOutput.write(String(decoding: AssociationSchema.text(of: kind), as: UTF8.self)) }
}
