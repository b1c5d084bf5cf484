import ArgumentParser
import SSOShared
import WellKnown

/// The files and versions of an Android app, for `match`, `explain` and `diff`.
struct AndroidAppOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "assetlinks.json of the link's host: a path, a domain or an https address.", valueName: "file"),
        completion: .file()) var assetlinks: String?

    @Option(
        help: ArgumentHelp("The app's AndroidManifest.xml as text, best the merged one of a build.", valueName: "file"),
        completion: .file()) var manifest: String?

    @OptionGroup var versions: AndroidVersionOptions

    var isGiven: Bool { assetlinks != nil || manifest != nil }

    func validate() throws {
        if assetlinks != nil, manifest == nil {
            throw ValidationError("--assetlinks goes with --manifest. For the file alone: wellknown match FILE URL.")
        }
        if !isGiven, versions.isGiven {
            throw ValidationError("--min-sdk, --target-sdk and --define go with --manifest.")
        }
    }

    /// - Throws: `ExitCode` 2 after a message if a file cannot be read, or no app can be told.
    func answers(_ link: LinkURL?, typed: String, app: String?, network: NetworkOptions) async throws -> LinkAnswers {
        guard let manifest else { throw ExitCode(64) }
        let read = try AndroidAppFiles.manifest(manifest, define: versions.define)
        var links: (matcher: AndroidMatcher, document: JSONDocument)?
        if let assetlinks { links = try await AndroidAppFiles.links(assetlinks, network: network) }
        let package = try AndroidAppFiles.package(app: app, read, links?.matcher)
        let matcher = versions.matcher(read, links: links?.matcher, package: package)
        let decisions = link.map { matcher.decisions($0) } ?? []
        let answer = LinkAnswer(app: package, manifest: manifest, decisions: decisions)
        return LinkAnswers(
            url: link?.description ?? typed, platform: .android,
            document: links?.document ?? JSONReader.read([UInt8]()), all: [answer])
    }
}

/// The versions of Android to decide for.
struct AndroidVersionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The oldest API level to decide for. Without it: that of the manifest, or 23.", valueName: "level"))
    var minSdk: Int?

    @Option(
        help: ArgumentHelp("The API level that the app targets. Without it: that of the manifest.", valueName: "level"))
    var targetSdk: Int?

    @Option(help: ArgumentHelp("The value of a placeholder of the build; again for more.", valueName: "name=value"))
    var define: [String] = []

    var isGiven: Bool { minSdk != nil || targetSdk != nil || !define.isEmpty }

    func validate() throws {
        for (name, value) in [("--min-sdk", minSdk), ("--target-sdk", targetSdk)] {
            guard let value, !(1...99).contains(value) else { continue }
            throw ValidationError("\(name) must be an API level from 1 to 99, such as 31 for Android 12.")
        }
        _ = try PlaceholderValue.dictionary(define)
    }

    func matcher(_ manifest: AndroidManifest, links: AndroidMatcher?, package: String) -> AndroidAppMatcher {
        AndroidAppMatcher(
            manifest.filters, links: links, package: package,
            minimumSDK: minSdk ?? manifest.minimumSDK ?? AndroidVersion.verification,
            targetSDK: targetSdk ?? manifest.targetSDK)
    }
}

/// Manifests, each read once.
struct ManifestCache {
    private var known: [String: Result<AndroidManifest, InputError>] = [:]

    mutating func read(_ file: String) -> Result<AndroidManifest, InputError> {
        if let read = known[file] { return read }
        let read = Result { () throws(ProjectFiles.ReadError) in try ProjectFiles.manifest(file) }
            .mapError { InputError(description: "\($0)") }
        known[file] = read
        return read
    }
}

enum AndroidAppFiles {
    static func manifest(_ file: String, define: [String]) throws -> AndroidManifest {
        do throws(ProjectFiles.ReadError) {
            return try ProjectFiles.manifest(file, filling: (try? PlaceholderValue.dictionary(define)) ?? [:])
        } catch {
            StandardOutput.reportError("\(error)")
            throw ExitCode(2)
        }
    }

    static func links(
        _ file: String, network: NetworkOptions
    ) async throws -> (matcher: AndroidMatcher, document: JSONDocument) {
        let subject = try await LinkSubject.read(file, platform: .android, network: network)
        guard case .android(let matcher, let document) = subject else {
            StandardOutput.reportError(
                "\(file.printable): dynamic rules alone name no app; give the whole assetlinks.json")
            throw ExitCode(2)
        }
        return (matcher, document)
    }

    /// The application id: the given one, that of the manifest, or the only one of the file.
    static func package(app: String?, _ manifest: AndroidManifest, _ links: AndroidMatcher?) throws -> String {
        if let package = app ?? manifest.package { return package }
        if let links, links.apps.count == 1, let only = links.apps.first { return only }
        StandardOutput.reportError("the manifest has no package, and the file not exactly one app: give --app PACKAGE")
        throw ExitCode(2)
    }
}
