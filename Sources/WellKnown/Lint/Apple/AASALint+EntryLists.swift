import SSOShared

extension AASALint {
    /// What only several entries together show.
    mutating func entryLists(_ applinks: AppLinks) {
        var firstOfApp: [String: Int] = [:]
        var firstOfRules: [CanonicalText: (number: Int, count: Int)] = [:]
        var repeats: [CanonicalText: AppLinksEntry] = [:]
        for (number, entry) in entries {
            for (app, count) in Dictionary(entry.apps.map { ($0, 1) }, uniquingKeysWith: +).sorted(by: {
                $0.key < $1.key
            }) {
                if count > 1 {
                    sheet.add(
                        AppleStructureRules.duplicateApp, at: entry.node,
                        "\(app.quoted) stands \(count) times in entry \(number)",
                        fix: "Remove all but one.")
                }
                guard let first = firstOfApp[app] else {
                    firstOfApp[app] = number
                    continue
                }
                sheet.add(
                    AppleStructureRules.duplicateApp, at: entry.node,
                    "\(app.quoted) is in entry \(first) and in entry \(number): their rules are tried in this order")
            }
            let rules = Self.rulesText(entry)
            rulesTexts[entry.node.range.lowerBound] = rules
            guard !rules.isEmpty else { continue }
            if let first = firstOfRules[rules] {
                firstOfRules[rules] = (first.number, first.count + 1)
                repeats[rules] = repeats[rules] ?? entry
            } else {
                firstOfRules[rules] = (number, 1)
            }
        }
        for (rules, entry) in repeats.sorted(by: { $0.value.node.range.lowerBound < $1.value.node.range.lowerBound }) {
            guard let first = firstOfRules[rules] else { continue }
            sheet.add(
                AppleStructureRules.duplicateEntries, at: entry.node,
                "\(first.count) entries have the rules of entry \(first.number)")
        }
    }

    /// The same for entries whose rules are equal; empty for one without rules.
    static func rulesText(_ entry: AppLinksEntry) -> CanonicalText {
        var text = CanonicalText()
        guard entry.components.member != nil || entry.paths.member != nil else { return text }
        for part in [entry.components.member, entry.paths.member, entry.defaults.member] {
            part?.value.write(to: &text)
            text.bytes.append(0)
        }
        return text
    }

    /// What the declared oldest system does not know.
    mutating func systems() {
        guard let minimum = options.minimumIOS else { return }
        let applinks = file.applinks.value
        if minimum < SystemVersion(13), applinks?.apps.isAbsent == true, let member = file.applinks.member {
            sheet.add(
                AppleStructureRules.appsNeeded, at: member, "applinks has no \"apps\": [], and iOS \(minimum) needs it")
        }
        var features: [(name: String, since: SystemVersion, member: JSONMember)] = []
        func note(_ name: String, _ major: Int, _ minor: Int, _ member: JSONMember?) {
            guard let member, !features.contains(where: { $0.name == name }) else { return }
            features.append((name, SystemVersion(major, minor), member))
        }
        func noteVariable(_ fields: ComponentFields?) {
            for member in [fields?.path.member, fields?.query.member, fields?.fragment.member] {
                let texts =
                    [member?.value.string].compactMap(\.self) + (member?.value.object ?? []).compactMap(\.value.string)
                if texts.contains(where: { !VariableNames.of($0).isEmpty }) {
                    note("A substitution variable", 13, 5, member)
                }
            }
        }
        func note(_ fields: ComponentFields?) {
            noteVariable(fields)
            // What is as the built-in value changes nothing on older systems.
            if fields?.caseSensitive.value == false { note("caseSensitive", 13, 5, fields?.caseSensitive.member) }
            if fields?.percentEncoded.value == false { note("percentEncoded", 14, 0, fields?.percentEncoded.member) }
        }
        note("substitutionVariables", 13, 5, applinks?.substitutionVariables.member)
        note("defaults", 14, 0, applinks?.defaults.member)
        for (_, entry) in entries {
            note("components", 13, 0, entry.components.member)
            note("appIDs", 13, 0, entry.appIDs.member)
            note("defaults", 14, 0, entry.defaults.member)
            for component in entry.components.value ?? [] { note(component.fields) }
        }
        note("appclips", 14, 0, file.appclips.member)
        for feature in features where minimum < feature.since {
            sheet.add(
                AppleStructureRules.minimumSystem, at: feature.member,
                "\(feature.name) needs iOS \(feature.since); the declared minimum is \(minimum)")
        }
    }
}
