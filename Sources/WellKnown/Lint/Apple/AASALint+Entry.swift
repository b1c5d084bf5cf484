import SSOShared

extension AASALint {
    /// One entry of `details`: its apps, its keys, and that it has rules.
    mutating func entry(_ number: Int, _ entry: AppLinksEntry, _ applinks: AppLinks) {
        let unknown = misplaced(entry.unknownMembers, in: "entry \(number)")
        let meant = unknownKeys(unknown, known: Self.entryKeys, in: "entry \(number)")
        apps(number, entry, meant)
        rules(number, entry, meant)
        if entry.paths.value != nil, entry.components.value == nil,
            let defaults = entry.defaults.value?.node ?? applinks.defaults.value?.node
        {
            sheet.add(
                AppleComponentRules.defaultsPaths, at: defaults,
                "These defaults stand over the legacy paths of entry \(number): disputed whether they count there")
        }
        var layers: [(origin: ValueOrigin, fields: ComponentFields)] = []
        if let own = entry.defaults.value { layers.append((.entryDefaults, own)) }
        if let all = applinks.defaults.value { layers.append((.applinksDefaults, all)) }
        for (index, component) in (entry.components.value ?? []).enumerated() {
            self.component(component, "rule \(index + 1) of entry \(number)", layers)
        }
        for path in entry.paths.value ?? [] { legacyPath(path) }
        firstSlash()
    }

    /// Whoever leaves the slash out leaves it out everywhere: one remark an entry.
    private mutating func firstSlash() {
        defer { slashless = [] }
        guard let first = slashless.first, let text = first.string else { return }
        let more = slashless.count > 1 ? " (so do \(slashless.count - 1) more in this entry)" : ""
        sheet.add(
            ApplePathRules.noLeadingSlash, at: first, "\(text.quoted) begins without a slash\(more)",
            fix: "Write \("/\(text)".quoted).")
    }

    private mutating func apps(_ number: Int, _ entry: AppLinksEntry, _ meant: Set<String>) {
        let rules = AppleStructureRules.self
        guard entry.key == nil else { return }
        if case .wrongType(let member) = entry.appIDs {
            sheet.add(
                rules.appIDsType, at: member.value, "appIDs is \(member.value.typeName); it must be a list of strings")
        }
        if case .wrongType(let member) = entry.appID {
            sheet.add(rules.appIDsType, at: member.value, "appID is \(member.value.typeName); it must be a string")
        }
        let strays = (entry.appIDs.value ?? []).filter { $0.string == nil }
        for stray in strays {
            sheet.add(rules.appIDsType, at: stray, "appIDs holds \(stray.typeName); it must hold strings")
        }
        let isBoth = entry.appID.value != nil && entry.appIDs.value != nil
        if isBoth, !entry.apps.isEmpty, let member = entry.appID.member {
            sheet.add(
                rules.bothAppKeys, at: member, "Entry \(number) has appID and appIDs: appID is ignored (disputed)")
        }
        let isSaid =
            entry.appIDs.isWrongType || entry.appID.isWrongType || !strays.isEmpty
            || !meant.isDisjoint(with: ["appID", "appIDs"])
        guard entry.apps.isEmpty, !isSaid else { return }
        let why = isBoth ? "an empty appIDs, which wins over appID" : "neither appID nor appIDs"
        sheet.add(rules.entryWithoutApp, at: entry.node, "Entry \(number) has \(why)")
    }

    private mutating func rules(_ number: Int, _ entry: AppLinksEntry, _ meant: Set<String>) {
        let rules = AppleStructureRules.self
        for (name, member) in [("components", wrongType(entry.components)), ("paths", wrongType(entry.paths))] {
            guard let member else { continue }
            sheet.add(rules.rulesType, at: member.value, "\(name) is \(member.value.typeName); it must be a list")
        }
        for component in entry.components.value ?? [] where component.fields == nil {
            sheet.add(
                rules.rulesType, at: component.node,
                "An element of components is \(component.node.typeName); it must be an object")
        }
        for path in entry.paths.value ?? [] where path.string == nil {
            sheet.add(rules.rulesType, at: path, "An element of paths is \(path.typeName); it must be a string")
        }
        mixed(number, entry)
        switch (entry.components, entry.paths) {
        case (.absent, .absent) where meant.isDisjoint(with: ["components", "paths"]):
            sheet.add(rules.noRules, at: entry.node, "Entry \(number) has neither components nor paths")
        case (.present(let list, let member), .absent) where list.isEmpty:
            sheet.add(rules.emptyRules, at: member.value, "The components of entry \(number) are empty")
        case (.absent, .present(let list, let member)) where list.isEmpty:
            sheet.add(rules.emptyRules, at: member.value, "The paths of entry \(number) are empty")
        default: break
        }
    }

    private mutating func mixed(_ number: Int, _ entry: AppLinksEntry) {
        let rule = AppleStructureRules.mixedGenerations
        if let member = entry.paths.member, entry.components.member != nil {
            sheet.add(
                rule, at: member,
                "Entry \(number) has components and paths (disputed: iOS 13 and later ignore paths, or the entry)")
        } else if let member = entry.components.member, entry.appIDs.isAbsent, entry.appID.member != nil {
            // Apple's own matcher takes these; Apple's text says not to.
            sheet.add(
                rule, at: member, "Entry \(number) has components with appID, which goes with paths (disputed)",
                severity: .warning, fix: "Write appIDs, as a list.")
        } else if let member = entry.paths.member, entry.appID.isAbsent, entry.appIDs.member != nil {
            sheet.add(
                rule, at: member, "Entry \(number) has paths with appIDs, which goes with components (disputed)",
                severity: .warning, fix: "Write components; systems that need paths do not know appIDs.")
        }
    }

    private func wrongType<Value>(_ field: JSONField<Value>) -> JSONMember? {
        if case .wrongType(let member) = field { member } else { nil }
    }
}
