import WellKnown

/// The apps that a project may build, and what was looked at. It asks every reader and knows no format.
struct ProjectReading {
    var apple: [AppleCandidate] = []
    var android: [AndroidCandidate] = []
    var notes: [String] = []

    /// The readers, in the order of their notes.
    static var readers: [any ProjectReader.Type] {
        [
            ExpoReader.self, XcodeReader.self, EntitlementsReader.self, FastlaneReader.self, AndroidReader.self,
            ProgramReader.self,
        ]
    }

    /// - Parameter defined: values of placeholders that take precedence over those of the project.
    init(_ folder: ProjectFolder, defined: [String: String]) {
        var parts: [AppleAppParts] = []
        for reader in Self.readers {
            let offer = reader.read(folder, defined: defined)
            apple += offer.apple
            android += offer.android
            parts += offer.completing
            notes += offer.notes
        }
        if notes.isEmpty {
            notes.append("\(folder.root): no manifest, entitlements, Xcode project or Expo configuration was found")
        }
        if folder.isTruncated { notes.append("\(folder.root): it has more files than are looked at") }
        apple = Self.chosen(apple, by: defined, \.names)
        android = Self.chosen(android, by: defined, \.names)
        complete(with: parts)
    }

    /// Fills in what a candidate does not say itself. Parts of another app do not count, and neither do several that differ.
    private mutating func complete(with parts: [AppleAppParts]) {
        let (prefixes, bundles) = (Set(parts.compactMap(\.prefix)), Set(parts.compactMap(\.bundle)))
        for (name, values) in [("teams", prefixes), ("bundle ids", bundles)] where values.count > 1 {
            notes.append("\(name) that differ are not used: \(values.sorted().joined(separator: ", "))")
        }
        let own = AppleAppParts(
            prefix: prefixes.count == 1 ? prefixes.first : nil, bundle: bundles.count == 1 ? bundles.first : nil)
        guard bundles.count < 2, !own.isUnknown else { return }
        if apple.isEmpty { apple = [AppleCandidate(name: "")] }
        for index in apple.indices {
            let bundle = apple[index].id.bundle
            guard bundle == nil || own.bundle == nil || bundle == own.bundle else { continue }
            apple[index].id.prefix = apple[index].id.prefix ?? own.prefix
            if apple.count == 1 { apple[index].id.bundle = bundle ?? own.bundle }
        }
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
