import ArgumentParser
import WellKnown

struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Write both files from one list of apps and paths.",
        usage: "wellknown generate [<options>]",
        discussion: """
            Paths are plain text with * for any text, and mean the same on both systems. Before anything is written, \
            sample addresses of every path are matched on every system and the files are linted: what would not open is \
            refused with the reason, what is good to know goes to standard error.

            Example:
              wellknown generate --apple K7Q2M9X4TB.com.acme.shop --path '/shop/*' \\
                --out-dir public

            Everything can be in a YAML file: apple (a list), android (a list of package and fingerprints), paths, \
            exclude, host, ios12, dynamic-rules, credentials. Flags add to it.

            Exit codes: 0 written; 1 refused; 2 a file could not be read or written; 64 wrong usage.
            """)

    @Option(name: .customLong("from"), help: ArgumentHelp("A YAML file, or -.", valueName: "file"), completion: .file())
    var source: String?

    @Option(
        help: ArgumentHelp("An app on Apple's systems, TEAMID.bundle.id; again for more.", valueName: "id"),
        transform: { try AppleAppID($0) }) var apple: [AppleAppID] = []

    @Option(
        help: ArgumentHelp("An app on Android, package=SHA256[;SHA256]; again for more.", valueName: "app"),
        transform: { try AndroidApp($0) }) var android: [AndroidApp] = []

    @Option(
        help: ArgumentHelp("Paths that open the apps, /shop/*; again for more.", valueName: "path"),
        transform: { try LinkRoute($0) }) var path: [LinkRoute] = []

    @Option(
        help: ArgumentHelp("Paths that stay in the browser; again for more.", valueName: "path"),
        transform: { try LinkRoute($0) }) var exclude: [LinkRoute] = []

    @Option(help: ArgumentHelp("The host of the links: also shows the Android intent filter.", valueName: "host"))
    var host: String?

    @Flag(help: "Also write the rules as iOS 12 and older read them.") var ios12 = false

    @Flag(help: "Also write the paths for Android 15 and later.") var dynamicRules = false

    @Flag(help: "Leave out the sharing of saved passwords and passkeys.") var noCredentials = false

    @Option(help: ArgumentHelp("Print the bytes of one file only: aasa or assetlinks.", valueName: "kind"))
    var only: AssociationKind?

    @Option(help: ArgumentHelp("Write .well-known/… below this folder instead of printing.", valueName: "folder"))
    var outDir: String?

    @Flag(help: "Replace files that are there.") var force = false

    func validate() throws {
        if only != nil, outDir != nil { throw ValidationError("--only prints; it does not go with --out-dir") }
        if force, outDir == nil { throw ValidationError("--force goes with --out-dir") }
        if let host, !PlanParts.isHost(host) {
            throw ValidationError("--host takes a name such as links.example.com, not '\(host.printable)'")
        }
        if source == nil, apple.isEmpty, android.isEmpty {
            throw ValidationError("There is no app: give --apple, --android or --from.")
        }
    }

    func run() throws {
        let parts = try parts()
        let plan: AssociationPlan
        do throws(AssociationError) { plan = try parts.plan() } catch { throw refused(["\(error)"]) }
        let generated = GeneratedFiles(plan, host: parts.host)
        guard generated.refusals.isEmpty else { throw refused(generated.refusals) }
        if let only, !generated.files.contains(where: { $0.kind == only }) {
            throw refused(["there is no app for \(only.fileName)"])
        }
        for remark in generated.remarks { StandardOutput.reportError("warning: \(remark.printable)") }
        guard let outDir else { return StandardOutput.write(text(generated)) }
        do throws(InputError) {
            let paths = try generated.write(to: outDir, force: force)
            StandardOutput.write(paths.map { $0.printable + "\n" }.joined() + filter(generated))
        } catch {
            StandardOutput.reportError("\(error)")
            throw ExitCode(2)
        }
    }

    private func parts() throws -> PlanParts {
        var parts = PlanParts()
        if let source {
            do throws(YAMLFile.ReadError) { parts = try PlanParts(reading: source) } catch {
                error.lines.forEach(StandardOutput.reportError)
                throw ExitCode(error.isUnreadable ? 2 : 1)
            }
        }
        parts.appleApps += apple
        parts.androidApps += android
        parts.routes += path
        parts.excludes += exclude
        parts.host = host ?? parts.host
        if ios12 { parts.options.hasLegacyPaths = true }
        if dynamicRules { parts.options.hasDynamicRules = true }
        if noCredentials { parts.options.sharesCredentials = false }
        return parts
    }

    private func text(_ generated: GeneratedFiles) -> String {
        if let only {
            let file = generated.files.first { $0.kind == only }
            return String(decoding: file?.bytes ?? [], as: UTF8.self)
        }
        return generated.files.map { file in
            "/.well-known/\(file.kind.fileName)\n\(String(decoding: file.bytes, as: UTF8.self))\n"
        }.joined() + filter(generated)
    }

    private func filter(_ generated: GeneratedFiles) -> String {
        generated.intentFilter.map { "AndroidManifest.xml, in the activity that takes the links:\n\($0)" } ?? ""
    }

    private func refused(_ reasons: [String]) -> ExitCode {
        for reason in reasons { StandardOutput.reportError("refused: \(reason.printable)") }
        return ExitCode(1)
    }
}
