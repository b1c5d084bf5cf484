import SSOShared

extension AASALint {
    /// Checks one entry of `details`: its apps, its keys, and whether it has rules.
    mutating func entry(_ number: Int, _ entry: AppLinksEntry, _ applinks: AppLinks) {
        let unknown = misplaced(entry.unknownMembers, in: Self.name(entry, number))
        let meant = unknownKeys(unknown, known: Self.entryKeys, in: Self.name(entry, number))
        apps(number, entry, meant)
        rules(number, entry, meant)
        if entry.paths.value != nil, entry.components.value == nil,
            let defaults = entry.defaults.value?.node ?? applinks.defaults.value?.node
        {
            findings.add(
                AppleComponentRules.defaultsPaths, at: defaults,
                "These defaults apply to the legacy paths of \(Self.name(entry, number)), as far as Apple's documents say"
            )
        }
        let layers = entry.defaults(in: applinks)
        for (index, component) in (entry.components.value ?? []).enumerated() {
            self.component(component, Self.name(component, index), layers)
        }
        for path in entry.paths.value ?? [] { legacyPath(path) }
        firstSlash()
    }

    /// Reports patterns without a leading slash. Who omits one usually omits all, so there is one finding per entry.
    private mutating func firstSlash() {
        defer { slashless = [] }
        guard let first = slashless.first, let text = first.string else { return }
        func slashed(_ text: String) -> String {
            text.hasPrefix("NOT ") ? "NOT /\(text.dropFirst("NOT ".count))" : "/\(text)"
        }
        let more = slashless.count > 1 ? " (so do \(slashless.count - 1) more in this entry)" : ""
        findings.add(
            ApplePathRules.noLeadingSlash, at: first, "\(text.quoted) begins without a slash\(more)",
            fix: FindingFix(
                words: "Write \(slashed(text).quoted).",
                slashless.compactMap { node in node.string.map { .string(node.range, slashed($0)) } }))
    }

    private mutating func apps(_ number: Int, _ entry: AppLinksEntry, _ meant: Set<String>) {
        let rules = AppleStructureRules.self
        guard entry.key == nil else { return }
        if case .wrongType(let member) = entry.appIDs {
            findings.add(
                rules.appIDsType, "appIDs", member.value, mustBe: "a list of strings",
                fix: member.value.string.map {
                    FindingFix(words: "Write [\($0.quoted)].", FindingFix.list(member.value))
                })
        }
        if case .wrongType(let member) = entry.appID {
            findings.add(rules.appIDsType, "appID", member.value, mustBe: "a string")
        }
        let strays = (entry.appIDs.value ?? []).filter { $0.string == nil }
        for stray in strays {
            findings.add(rules.appIDsType, at: stray, "appIDs holds \(stray.typeName); it must hold strings")
        }
        let isBoth = entry.appID.value != nil && entry.appIDs.value != nil
        if isBoth, !entry.apps.isEmpty, let member = entry.appID.member {
            findings.add(
                rules.bothAppKeys, at: member,
                "\(Self.name(entry, number).capitalizedFirst) has appID and appIDs: swcutil ignores appID")
        }
        let isSaid =
            entry.appIDs.isWrongType || entry.appID.isWrongType || !strays.isEmpty
            || !meant.isDisjoint(with: ["appID", "appIDs"])
        guard entry.apps.isEmpty, !isSaid else { return }
        let why = isBoth ? "an empty appIDs, which wins over appID" : "neither appID nor appIDs"
        findings.add(rules.entryWithoutApp, at: entry.node, "\(Self.name(entry, number).capitalizedFirst) has \(why)")
    }

    private mutating func rules(_ number: Int, _ entry: AppLinksEntry, _ meant: Set<String>) {
        let rules = AppleStructureRules.self
        for (name, member) in [("components", entry.components.wrongMember), ("paths", entry.paths.wrongMember)] {
            guard let member else { continue }
            findings.add(rules.rulesType, name, member.value, mustBe: "a list")
        }
        for component in entry.components.value ?? [] where component.fields == nil {
            findings.add(
                rules.rulesType, at: component.node,
                "An element of components is \(component.node.typeName); it must be an object")
        }
        for path in entry.paths.value ?? [] where path.string == nil {
            findings.add(rules.rulesType, at: path, "An element of paths is \(path.typeName); it must be a string")
        }
        mixed(number, entry)
        switch (entry.components, entry.paths) {
        case (.absent, .absent) where meant.isDisjoint(with: ["components", "paths"]):
            findings.add(
                rules.noRules, at: entry.node,
                "\(Self.name(entry, number).capitalizedFirst) has neither components nor paths")
        case (.present(let list, let member), .absent) where list.isEmpty:
            findings.add(rules.emptyRules, at: member.value, "The components of \(Self.name(entry, number)) are empty")
        case (.absent, .present(let list, let member)) where list.isEmpty:
            findings.add(rules.emptyRules, at: member.value, "The paths of \(Self.name(entry, number)) are empty")
        default: break
        }
    }

    private mutating func mixed(_ number: Int, _ entry: AppLinksEntry) {
        let rule = AppleStructureRules.mixedGenerations
        if let member = entry.paths.member, entry.components.member != nil {
            findings.add(
                rule, at: member,
                "\(Self.name(entry, number).capitalizedFirst) has components and paths: iOS 13 and later use the components alone"
            )
        } else if let member = entry.components.member, entry.appIDs.isAbsent, entry.appID.member != nil {
            // Apple's own matcher accepts these. Apple's documentation forbids them.
            findings.add(
                rule, at: member,
                "\(Self.name(entry, number).capitalizedFirst) has components with appID; Apple documents appIDs for them",
                fix: FindingFix(
                    words: "Write appIDs, as a list.",
                    entry.appID.member.map { [.rename($0, "appIDs")] + FindingFix.list($0.value) } ?? []))
        } else if let member = entry.paths.member, entry.appID.isAbsent, entry.appIDs.member != nil {
            findings.add(
                rule, at: member,
                "\(Self.name(entry, number).capitalizedFirst) has paths with appIDs; systems that need paths do not know appIDs",
                fix: "Write components instead of paths.")
        }
    }
}

extension AASALint {
    /// Reports errors that only several entries together show.
    mutating func entryLists() {
        var firstOfApp: [String: Int] = [:]
        var firstOfRules: [CanonicalText: (number: Int, entries: [(number: Int, entry: AppLinksEntry)])] = [:]
        var repeats: [CanonicalText: AppLinksEntry] = [:]
        for (number, entry) in entries {
            for (app, count) in Dictionary(entry.apps.map { ($0, 1) }, uniquingKeysWith: +).sorted(by: {
                $0.key < $1.key
            }) {
                if count > 1 {
                    findings.add(
                        AppleStructureRules.duplicateApp, at: entry.node,
                        "\(app.quoted) is \(count) times in one entry",
                        fix: FindingFix(
                            words: "Remove all but one.",
                            (entry.appIDs.value ?? []).filter { $0.string == app }.dropFirst()
                                .map { .remove($0.range.lowerBound) }))
                }
                guard let first = firstOfApp[app] else {
                    firstOfApp[app] = number
                    continue
                }
                findings.add(
                    AppleStructureRules.duplicateApp, at: entry.node,
                    "\(app.quoted) is in entries \(first) and \(number): their rules are tried in this order")
            }
            guard let rules = facts?.rulesTexts[entry.node.range.lowerBound], !rules.isEmpty else { continue }
            if let first = firstOfRules[rules] {
                firstOfRules[rules] = (first.number, first.entries + [(number, entry)])
                repeats[rules] = repeats[rules] ?? entry
            } else {
                firstOfRules[rules] = (number, [(number, entry)])
            }
        }
        for (rules, entry) in repeats.sorted(by: { $0.value.node.range.lowerBound < $1.value.node.range.lowerBound }) {
            guard let first = firstOfRules[rules] else { continue }
            findings.add(AppleStructureRules.duplicateEntries, at: entry.node, Self.sameRules(first.entries))
        }
    }

    /// The entries by their apps, at most three.
    private static func sameRules(_ entries: [(number: Int, entry: AppLinksEntry)]) -> String {
        let names = entries.map { "\($0.entry.apps.first?.quoted ?? "no app") (entry \($0.number))" }
        return "\(names.listed()) have the same rules"
    }

    /// The entry by its first app, and by its number without one.
    static func name(_ entry: AppLinksEntry, _ number: Int) -> String {
        entry.apps.first.map { "the entry of \($0.quoted)" } ?? "entry \(number)"
    }

    /// The rule by its path, and by its number without one.
    private static func name(_ component: AppLinksComponent, _ index: Int) -> String {
        component.fields?.path.value.map { "the rule \($0.quoted)" } ?? "rule \(index + 1)"
    }

    /// The rule by its path and, in a file with several entries, by its app.
    func name(of rule: AppleRule, in entry: AppleEntry) -> String {
        let own = matcher.entries.count > 1 ? " of \(entry.apps[0].quoted)" : ""
        return rule.isNamedByPath ? "the rule \(rule.path.source.quoted)\(own)" : "rule \(rule.index + 1)\(own)"
    }

    /// The same text for entries whose rules are equal. Empty for an entry without rules.
    static func rulesText(_ entry: AppLinksEntry) -> CanonicalText {
        var text = CanonicalText()
        guard entry.components.member != nil || entry.paths.member != nil else { return text }
        for part in [entry.components.member, entry.paths.member, entry.defaults.member] {
            part?.value.write(to: &text)
            text.bytes.append(0)
        }
        return text
    }
}

extension AASALint {
    mutating func identifiers() {
        let places = AppleIdentifiers.places(in: file)
        var known: [String: String] = [:]
        for place in places where place.app.utf8.dropFirst(10).first == UInt8(ascii: ".") {
            let bundle = String(place.app.dropFirst(11))
            if known[bundle] == nil, (try? AppleAppID(place.app)) != nil { known[bundle] = place.app }
        }
        var prefixes: [String: String] = [:]
        var reported: Set<String> = []
        var sound: Set<String> = []
        for place in places {
            if !sound.contains(place.app), let fault = AppleIdentifiers.fault(in: place.app, known: known) {
                findings.add(
                    fault.rule, at: place.offset, fault.message,
                    fix: AppleIdentifiers.corrected(place.app, known: known).map { .write($0, over: place.range) })
                continue
            }
            sound.insert(place.app)
            guard !place.app.isEmpty, let app = try? AppleAppID(place.app) else { continue }
            if let other = prefixes[app.bundleID], other != app.teamID {
                guard reported.insert(app.bundleID).inserted else { continue }
                findings.add(
                    AppleIdentifierRules.prefixDiffers, at: place.offset,
                    "\(app.bundleID.quoted) has the Team IDs \(other) and \(app.teamID)")
            }
            prefixes[app.bundleID] = prefixes[app.bundleID] ?? app.teamID
        }
        clips(places)
        services(places, sound)
    }

    private mutating func clips(_ places: [AppleIdentifiers.Place]) {
        let apps = Set(places.filter { $0.service == "applinks" || $0.service == "webcredentials" }.map(\.app))
        for place in places {
            let isClip = Self.isClip(place.app)
            if place.service == "applinks", isClip {
                findings.add(
                    AppleIdentifierRules.clipInApplinks, at: place.offset,
                    "\(place.app.quoted) looks like an App Clip, and is under applinks")
            } else if place.service == "appclips", !isClip, apps.contains(place.app) {
                findings.add(
                    AppleIdentifierRules.clipInApplinks, at: place.offset,
                    "\(place.app.quoted) is an app of this file, and is under appclips")
            }
        }
    }

    /// Compares the apps of the services if both are in use. A file for links alone is valid.
    private mutating func services(_ places: [AppleIdentifiers.Place], _ known: Set<String>) {
        func named(_ service: String) -> [AppleIdentifiers.Place] { places.filter { $0.service == service } }
        func first(_ service: String) -> [AppleIdentifiers.Place] {
            named(service).filter { known.contains($0.app) }.uniqued(by: \.app)
        }
        let pair = ["applinks", "webcredentials"]
        guard pair.allSatisfy({ !first($0).isEmpty }) else { return }
        for (own, other) in [(pair[0], pair[1]), (pair[1], pair[0])] {
            // The check compares bundle identifiers. A different prefix has a finding of its own.
            let others = Set(named(other).map { Self.bundle($0.app) })
            for place in first(own) where !others.contains(Self.bundle(place.app)) && !Self.isClip(place.app) {
                findings.add(
                    AppleIdentifierRules.inconsistentServices, at: place.offset,
                    "\(place.app.quoted) is under \(own) and not under \(other)")
            }
        }
    }

    private static func bundle(_ app: String) -> Substring { app.drop { $0 != "." } }

    private static func isClip(_ app: String) -> Bool { app.lowercased().hasSuffix(".clip") }
}
