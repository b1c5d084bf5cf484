import SSOShared

extension AASALint {
    /// Reports features that the oldest declared system does not know.
    mutating func systems() {
        guard let minimum = options.minimumIOS else { return }
        let applinks = file.applinks.value
        if minimum < SystemVersion(13), applinks?.apps.isAbsent == true, let member = file.applinks.member {
            findings.add(
                AppleStructureRules.appsNeeded, at: member, "applinks has no \"apps\": [], and iOS \(minimum) needs it")
        }
        for feature in features(for: minimum) where minimum < feature.since {
            findings.add(
                AppleStructureRules.minimumSystem, at: feature.member,
                "\(feature.name) needs iOS \(feature.since); the declared minimum is \(minimum)")
        }
    }

    private typealias Feature = (name: String, since: SystemVersion, member: JSONMember)

    /// The features of the file, each where it is used first.
    private func features(for minimum: SystemVersion) -> [Feature] {
        let applinks = file.applinks.value
        var features: [Feature] = []
        func note(_ name: String, _ major: Int, _ minor: Int, _ member: JSONMember?) {
            guard let member, !features.contains(where: { $0.name == name }) else { return }
            features.append((name, SystemVersion(major, minor), member))
        }
        func noteVariable(_ fields: ComponentFields?) {
            for member in [fields?.path.member, fields?.query.member, fields?.fragment.member] {
                let texts =
                    [member?.value.string].compactMap(\.self) + (member?.value.object ?? []).compactMap(\.value.string)
                if texts.contains(where: { !VariableNames.of($0).closed.isEmpty }) {
                    note("A substitution variable", 13, 5, member)
                }
            }
        }
        func note(_ fields: ComponentFields?) {
            noteVariable(fields)
            // A value equal to the default changes nothing on older systems.
            if fields?.caseSensitive.value == false { note("caseSensitive", 13, 5, fields?.caseSensitive.member) }
            if fields?.percentEncoded.value == false { note("percentEncoded", 14, 0, fields?.percentEncoded.member) }
        }
        note("substitutionVariables", 13, 5, applinks?.substitutionVariables.member)
        note("defaults", 14, 0, applinks?.defaults.member)
        for (_, entry) in entries where !isCoveredForOldSystems(entry, minimum) {
            note("components", 13, 0, entry.components.member)
            note("appIDs", 13, 0, entry.appIDs.member)
            note("defaults", 14, 0, entry.defaults.member)
            for component in entry.components.value ?? [] { note(component.fields) }
        }
        note("appclips", 14, 0, file.appclips.member)
        return features
    }

    /// Whether iOS 12 and older find other entries for all apps of this entry: `appID` with `paths`.
    private func isCoveredForOldSystems(_ entry: AppLinksEntry, _ minimum: SystemVersion) -> Bool {
        guard minimum < SystemVersion(13), entry.components.member != nil else { return false }
        let legacy = entries.map(\.entry).filter { $0.components.isAbsent && $0.paths.value?.isEmpty == false }
        let covered = Set(legacy.compactMap { $0.key?.key ?? $0.appID.value })
        return !entry.apps.isEmpty && entry.apps.allSatisfy(covered.contains)
    }
}
