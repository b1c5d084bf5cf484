import WellKnown

/// The apps that a project may build, and what was looked at. It asks every reader and knows no format.
struct ProjectReading {
    var apple: [AppleCandidate] = []
    var android: [AndroidCandidate] = []
    var notes: [String] = []

    /// The readers, in the order of their notes.
    static var readers: [any ProjectReader.Type] {
        [ExpoReader.self, XcodeReader.self, EntitlementsReader.self, AndroidReader.self, ProgramReader.self]
    }

    /// - Parameter defined: values of placeholders that take precedence over those of the project.
    init(_ folder: ProjectFolder, defined: [String: String]) {
        for reader in Self.readers {
            let offer = reader.read(folder, defined: defined)
            apple += offer.apple
            android += offer.android
            notes += offer.notes
        }
        if notes.isEmpty {
            notes.append("\(folder.root): no manifest, entitlements, Xcode project or Expo configuration was found")
        }
        if folder.isTruncated { notes.append("\(folder.root): it has more files than are looked at") }
        apple = Self.chosen(apple, by: defined, \.names)
        android = Self.chosen(android, by: defined, \.names)
    }

    /// The candidates that the given values name. All of them if the values name none.
    private static func chosen<Candidate>(
        _ candidates: [Candidate], by defined: [String: String], _ names: KeyPath<Candidate, [String: String]>
    ) -> [Candidate] {
        let fitting = candidates.filter { candidate in
            candidate[keyPath: names].allSatisfy { defined[$0.key] == nil || defined[$0.key] == $0.value }
        }
        return fitting.isEmpty ? candidates : fitting
    }
}
