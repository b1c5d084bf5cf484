import ArgumentParser
import WellKnown

/// The arguments of `match` and `explain`, and the answers for each selected app.
struct LinkQuestion: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The association file: a path, - , a domain or an https address. Not with --assetlinks and --manifest.",
            valueName: "file"), completion: .file()) var file: String

    @Argument(
        help: ArgumentHelp("The link, as a browser would send it, or its path on the file's host.", valueName: "url"))
    var link: String?

    @Option(
        help: ArgumentHelp("The app (TEAMID.bundle.id) or package. Without it: every app of the file.", valueName: "id")
    ) var app: String?

    @Option(help: "ios or android. Without it the content of the file tells.") var platform: LinkPlatform?

    @Option(help: "text or json.") var format: ReportFormat = .text

    @OptionGroup(title: "The Android app") var android: AndroidAppOptions
    @OptionGroup(title: "Network options") var network: NetworkOptions

    /// The text of the link: the only argument if options name the files.
    private var url: String {
        let typed = link ?? file
        guard typed.hasPrefix("/"), !typed.hasPrefix("//"), let host else { return typed }
        return "https://\(host)\(typed)"
    }

    /// The host of a link that is a path alone: that of the file, or any for a local one. A manifest names its own.
    private var host: String? {
        if let word = android.isGiven ? android.assetlinks : file, case .remote(let target) = InputWord(word) {
            return target.host
        }
        return android.isGiven ? nil : "example.com"
    }

    func validate() throws {
        if link == nil, !android.isGiven { throw ValidationError("Missing expected argument '<url>'") }
        if link != nil, android.isGiven {
            throw ValidationError("With --assetlinks or --manifest, the link is the only argument.")
        }
        if android.isGiven, platform == .ios {
            throw ValidationError("--assetlinks and --manifest are for Android, not --platform ios.")
        }
        _ = try parsedLink()
    }

    /// The link, or `nil` for another scheme. A URL with another scheme is a valid argument, but only http and https
    /// links belong to a host, so no app opens it as a link.
    private func parsedLink() throws -> LinkURL? {
        do throws(LinkURL.ParseError) { return try LinkURL(reading: url) } catch {
            // RFC 3986 3.1. Without a scheme a colon may stand in the path.
            guard error == .scheme, url.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.-]*:/) != nil else {
                throw ValidationError("'\(url.printable)' is not the address of a link: \(error.rawValue).")
            }
            return nil
        }
    }

    /// For a domain, the form of the app's id determines the file.
    private var guessedPlatform: LinkPlatform? {
        guard platform == nil, let app, case .remote(let target) = InputWord(file), target.path == nil else {
            return platform
        }
        return (try? AppleAppID(app)) == nil ? .android : .ios
    }

    /// Whether the file of this domain does not apply to the link. An IP address or a port is a test server, and the
    /// URL of a file names exactly that file. Both apply to every link.
    static func isForeign(_ link: LinkURL, to target: FetchTarget) -> Bool {
        target.path == nil && target.port == nil && !target.isNumeric && link.host != target.host
    }

    /// Reads the file, matches the link and explains the decision.
    ///
    /// - Throws: `ExitCode` 2 after a message if the check is impossible, `ValidationError` for an invalid URL.
    ///
    /// - Parameter onlyDeciding: whether only the answer of the deciding app is needed.
    func answers(onlyDeciding: Bool) async throws -> LinkAnswers {
        let link = try parsedLink()
        if android.isGiven { return try await android.answers(link, typed: url, app: app, network: network) }
        let subject = try await LinkSubject.read(file, platform: guessedPlatform, network: network)
        if case .remote(let target) = InputWord(file), let link, Self.isForeign(link, to: target) {
            return subject.foreign(link, asked: target.host)
        }
        return subject.answers(link, typed: url, app: app, onlyDeciding: onlyDeciding)
    }
}
