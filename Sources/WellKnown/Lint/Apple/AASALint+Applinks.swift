import SSOShared

extension AASALint {
    /// `applinks` itself: its keys and the form of `details`.
    mutating func applinks(_ applinks: AppLinks) {
        let rules = AppleStructureRules.self
        let unknown = misplaced(applinks.unknownMembers, in: "applinks")
        let meant = unknownKeys(
            unknown, known: ["apps", "details", "defaults", "substitutionVariables"], in: "applinks")
        switch applinks.apps {
        case .absent: break
        case .wrongType(let apps):
            sheet.add(rules.appsNonEmpty, at: apps.value, "applinks.apps is \(apps.value.typeName); it must be []")
        case .present(let apps, let member):
            guard !apps.isEmpty else { break }
            sheet.add(
                rules.appsNonEmpty, at: member.value, "applinks.apps lists \(apps.count) apps; it must be []")
        }
        switch applinks.details {
        case .absent:
            guard !meant.contains("details"), let member = file.applinks.member else { break }
            sheet.add(rules.detailsMissing, at: member, "applinks has no details")
        case .wrongType(let details):
            sheet.add(
                rules.detailsMissing, at: details.value, "details is \(details.value.typeName); it must be a list")
        case .present(let details, let member): self.details(details, member, applinks)
        }
        defaults(applinks.defaults, in: "applinks")
        for entry in applinks.entries { defaults(entry.defaults, in: "an entry") }
    }

    private mutating func details(_ details: AppLinksDetails, _ member: JSONMember, _ applinks: AppLinks) {
        let rules = AppleStructureRules.self
        if Self.isLoneEntry(applinks) {
            return sheet.add(
                rules.detailsObject, at: member.value, "details is one entry; it must be a list of entries")
        }
        if details.entries.isEmpty, details.strays.isEmpty {
            sheet.add(
                rules.detailsMissing, at: member.value, "details is empty: no link opens an app", severity: .warning)
        } else if details.form == .dictionary {
            sheet.add(rules.detailsDictionary, at: member.value, "details is a dictionary of apps, which is obsolete")
        }
        for stray in details.strays {
            sheet.add(rules.rulesType, at: stray, "An element of details is \(stray.typeName); it must be an object")
        }
    }

    private mutating func defaults(_ field: JSONField<ComponentFields>, in place: String) {
        if case .wrongType(let member) = field {
            sheet.add(
                AppleComponentRules.type, at: member.value, "defaults is \(member.value.typeName); it must be an object"
            )
        }
        guard let fields = field.value else { return }
        _ = unknownKeys(fields.unknownMembers, known: ComponentFields.keys, in: "the defaults of \(place)")
        let patterns = fields.node.object?.filter { ["/", "?", "#", "exclude"].contains($0.key) } ?? []
        if let first = patterns.first {
            let keys = patterns.map(\.key.quoted).joined(separator: ", ")
            sheet.add(
                AppleComponentRules.defaultsPattern, at: first,
                "The defaults of \(place) set \(keys): undocumented, and it applies to every component without")
        }
        fieldTypes(fields)
    }
}
