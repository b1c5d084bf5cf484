import ArgumentParser
import WellKnown

struct DiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show which links two versions of a file decide differently, with an address for each.",
        discussion: """
            The addresses are found from the rules of both files: the shortest for each app and each change of decision. \
            The host in them is a placeholder; order, comments and spelling that decide nothing are not a difference. Rules with percentEncoded false beside rules \
            without, and rules of very many wildcards, cannot be compared in full: that is said, with exit code 2. \
            With --manifest the whole Android app is compared, by examples if the manifests differ.

            Example:
              wellknown diff old/apple-app-site-association new/apple-app-site-association

            Exit codes: 0 every link is decided alike; 1 some are not; 2 it could not be checked; 64 wrong usage.
            """)

    @Argument(help: ArgumentHelp("The old file: a path, - , a domain or an https address.", valueName: "old"))
    var old: String

    @Argument(help: ArgumentHelp("The new file.", valueName: "new")) var new: String

    @Option(help: ArgumentHelp("Only this app (TEAMID.bundle.id) or package.", valueName: "id")) var app: String?

    @Option(help: "ios or android. Without it the content of the files tells.") var platform: LinkPlatform?

    @Option(help: "text or json.") var format: ReportFormat = .text

    @Option(
        help: ArgumentHelp("The Android app's manifest. Given twice: the old one and the new one.", valueName: "file"),
        completion: .file()) var manifest: [String] = []

    @OptionGroup(title: "The Android app") var versions: AndroidVersionOptions
    @OptionGroup(title: "Network options") var network: NetworkOptions

    func validate() throws {
        if manifest.count > 2 { throw ValidationError("--manifest can be given twice: the old one and the new one.") }
        if manifest.isEmpty, versions.isGiven {
            throw ValidationError("--min-sdk, --target-sdk and --define go with --manifest.")
        }
        if old == "-", new == "-" { throw ValidationError("Only one of the two files can be standard input.") }
    }

    func run() async throws {
        let subjects = (try await subject(old), try await subject(new))
        let comparison: LinkComparison
        do {
            if let before = manifest.first, let after = manifest.last {
                comparison = LinkComparison(try android(subjects.0, before), try android(subjects.1, after))
            } else {
                comparison = try LinkComparison(subjects.0, subjects.1, app: app)
            }
        } catch let error as InputError {
            StandardOutput.reportError("\(old.printable), \(new.printable): \(error)")
            throw ExitCode(2)
        }
        switch format {
        case .text: StandardOutput.write(comparison.text(style: .ofStandardOutput))
        case .json: StandardOutput.write(comparison.json)
        }
        if comparison.exitCode != 0 { throw ExitCode(comparison.exitCode) }
    }

    private func subject(_ name: String) async throws -> LinkSubject {
        try await LinkSubject.read(name, platform: manifest.isEmpty ? platform : .android, network: network)
    }

    /// One side of the comparison with its manifest.
    private func android(_ subject: LinkSubject, _ manifest: String) throws -> AndroidAppMatcher {
        guard case .android(let links, _) = subject else {
            throw InputError(description: "--manifest goes with two assetlinks.json files")
        }
        let read = try AndroidAppFiles.manifest(manifest, define: versions.define)
        return versions.matcher(read, links: links, package: try AndroidAppFiles.package(app: app, read, links))
    }
}

/// The links that two versions of a file decide differently.
struct LinkComparison {
    let platform: LinkPlatform
    let changes: [LinkDiff.Change]
    /// Links that no app opened before and none opens now, although another rule decides them.
    let notes: [LinkDiff.Change]
    let disputes: [LinkDiff.Dispute]
    let addedApps, removedApps, changedCertificates, notDecided: [String]
    /// Whether the apps of both files stand in another order. Of two that open one link, the first gets it.
    let isReordered: Bool

    /// - Throws: ``InputError`` if the two files cannot be compared.
    init(_ old: LinkSubject, _ new: LinkSubject, app: String?) throws(InputError) {
        for (name, subject) in [("old", old), ("new", new)] {
            guard let refusal = subject.refusal else { continue }
            throw InputError(description: "the \(name) file opens nothing, its reader refuses it: \(refusal)")
        }
        let diff: LinkDiff
        switch (old, new) {
        case (.apple(let old, _), .apple(let new, _)):
            diff = LinkDiff.between(old, new, limits: .patient).withDisputes(old, new)
        case (.android(let old, _), .android(let new, _)):
            diff = LinkDiff.between(old, new, limits: .patient).withDisputes(old, new)
        case (.rules, _), (_, .rules):
            throw InputError(description: "dynamic rules alone name no app; diff compares whole files")
        default: throw InputError(description: "one is Apple's file, the other Google's")
        }
        if let app, !old.apps.contains(app), !new.apps.contains(app) {
            throw InputError(description: "neither file names the app \(app.printable)")
        }
        func asked(_ name: String) -> Bool { app == nil || app == name }
        platform = old.platform
        changes = diff.changes.filter { asked($0.app) }
        notes = diff.unopened.filter { asked($0.app) }
        disputes = diff.disputes.filter { asked($0.app) }
        addedApps = diff.addedApps.filter(asked)
        removedApps = diff.removedApps.filter(asked)
        changedCertificates = diff.changedCertificates.filter(asked)
        notDecided = diff.notDecided.filter(asked)
        let (before, after) = (old.apps.filter(new.apps.contains), new.apps.filter(old.apps.contains))
        isReordered = old.platform == .ios && before != after
    }

    /// The comparison of two versions of an Android app.
    init(_ old: AndroidAppMatcher, _ new: AndroidAppMatcher) {
        let diff = LinkDiff.between(old, new)
        platform = .android
        (changes, notes, disputes) = (diff.changes, diff.unopened, diff.disputes)
        (addedApps, removedApps) = (diff.addedApps, diff.removedApps)
        (changedCertificates, notDecided, isReordered) = (diff.changedCertificates, diff.notDecided, false)
    }

    /// Whether no difference was found. That is not a proof if ``notDecided`` contains an app.
    private var isSame: Bool {
        changes.isEmpty && addedApps.isEmpty && removedApps.isEmpty && changedCertificates.isEmpty
    }

    /// The exit code. It is 2 if no difference was found and the search stopped early.
    var exitCode: Int32 { isSame ? (notDecided.isEmpty ? 0 : 2) : 1 }

    func text(style: TextStyle) -> String {
        var lines: [String] = []
        for app in addedApps { lines.append("\(app.printable): \(style.paint("added", .green))") }
        for app in removedApps { lines.append("\(app.printable): \(style.paint("removed", .red))") }
        for app in changedCertificates {
            lines.append("\(app.printable): \(style.paint("other certificates", .yellow))")
        }
        var last: String?
        for change in changes {
            if change.app != last { lines.append("\(change.app.printable) on \(platform.title):") }
            last = change.app
            lines.append("  \(change.witness.description.printable)")
            lines.append("    \(change.old.rawValue) -> \(style.paint(change.new.rawValue, .yellow))")
        }
        for app in notDecided {
            lines.append(
                TextStyle.wrapped(
                    "\(app.printable): its rules could not be compared in full, and \(changes.contains { $0.app == app } ? "there may be more differences" : "differences are not ruled out"). See: wellknown diff --help",
                    first: "", rest: "  "))
        }
        lines += disputes.flatMap { DisputeText.lines($0.dispute, style, subject: $0.side.rawValue, link: $0.witness) }
        let count = changes.count + addedApps.count + removedApps.count + changedCertificates.count
        let result =
            !isSame
            ? "\(count) difference\(count == 1 ? "" : "s")"
            : notDecided.isEmpty
                ? style.paint("no difference: each app decides every link alike", .green) : "not decided"
        lines.append(result)
        if isReordered {
            lines.append(
                TextStyle.wrapped(
                    "The apps stand in another order: of two that open one link, the first gets it. See: wellknown check --help",
                    first: "", rest: "  "))
        }
        return lines.map { $0 + "\n" }.joined()
    }

    var json: String {
        func encoded(_ change: LinkDiff.Change) -> JSONObject {
            [
                "app": change.app, "url": change.witness.description, "old": change.old.rawValue,
                "new": change.new.rawValue,
            ]
        }
        return JSONOutput.text([
            "platform": platform.rawValue,
            // False also if the search stopped early.
            "same": exitCode == 0, "changes": changes.map(encoded), "addedApps": addedApps,
            "removedApps": removedApps, "changedCertificates": changedCertificates, "notDecided": notDecided,
            "isReordered": isReordered,
            // Links that open the browser before and after, decided by other rules. Android only.
            "notes": notes.map(encoded),
            "disputes": disputes.map {
                LinkAnswerJSON.dispute($0.dispute, side: $0.side.rawValue, app: $0.app, url: $0.witness.description)
            },
        ])
    }
}
