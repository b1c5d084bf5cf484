import WellKnown

/// Reads one format of a project. A new format is a new reader; the others stay as they are.
protocol ProjectReader: Sendable {
    /// Whether the file at this path below the project's folder is one of the format.
    static func takes(_ path: String) -> Bool

    /// Reads the files of the format. A file that cannot be read becomes a note, and a candidate without values.
    ///
    /// - Parameter defined: values of placeholders that take precedence over those of the project.
    static func read(_ folder: ProjectFolder, defined: [String: String]) -> ProjectOffer
}

/// What a reader found: the apps that the project may build, and what was looked at.
struct ProjectOffer {
    var apple: [AppleCandidate] = []
    var android: [AndroidCandidate] = []
    /// Parts of an id that complete the candidates of other readers.
    var completing: [AppleAppParts] = []
    /// One line for each file: its path, its kind and what was found in it or not read.
    var notes: [String] = []
}

/// An app for Apple's systems that the project may build.
struct AppleCandidate: Sendable {
    /// The app for people, such as "Runner in Release".
    var name: String
    /// The file of the entitlements.
    var file: String?
    /// `nil` if they are not known.
    var entitlements: AppEntitlements?
    var id = AppleAppParts()
    /// Why the values are not known, and how to get them. `nil` for a candidate that was read.
    var unread: String?
    /// Names of the build that choose the candidate with `--define`.
    var names: [String: String] = [:]
}

/// An app for Android that the project may build.
struct AndroidCandidate: Sendable {
    /// The app for people, such as "app, flavor prod".
    var name: String
    /// The file of the manifest.
    var file: String?
    /// With the application id of the build as its package. `nil` if it is not known.
    var manifest: AndroidManifest?
    var unread: String?
    /// Names of the build that choose the candidate with `--define`.
    var names: [String: String] = [:]
}

/// The parts of PREFIX.bundle.id that are known.
struct AppleAppParts: Sendable, Hashable {
    var prefix: String?
    var bundle: String?

    /// The whole id, if both parts are known and it is one.
    var id: String? {
        guard let prefix, let bundle, (try? AppleAppID("\(prefix).\(bundle)")) != nil else { return nil }
        return "\(prefix).\(bundle)"
    }

    var isUnknown: Bool { prefix == nil && bundle == nil }

    /// The parts, with a star for what is not known.
    var words: String { "\(prefix ?? "*").\(bundle ?? "*")" }

    /// Whether the id may be this one, as far as it is known.
    func mayBe(_ id: String) -> Bool {
        let parts = id.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return false }
        return (prefix == nil || prefix == parts[0]) && (bundle == nil || bundle == parts[1])
    }
}
