import SSOShared

extension AASALint {
    /// The root, and the services that take a plain list of apps.
    mutating func services() {
        let rules = AppleStructureRules.self
        var unknown = file.unknownMembers
        if let details = unknown.firstIndex(where: { $0.key == "details" }) {
            sheet.add(rules.detailsOutside, at: unknown[details], "details at the root; only applinks has details")
            unknown.remove(at: details)
        }
        let hasDetails = unknown.count < file.unknownMembers.count
        let meant = unknownKeys(unknown, known: AASAFile.services, in: "the root", as: rules.unknownService)
        let hasService = file.members.contains { AASAFile.services.contains($0.key) }
        if !hasService, meant.isEmpty, !hasDetails, let root = file.document.root {
            let names = AASAFile.services.joined(separator: ", ")
            sheet.add(rules.noService, at: root, "None of \(names) is at the root")
        }
        if case .wrongType(let member) = file.applinks {
            sheet.add(
                rules.detailsMissing, at: member.value,
                "applinks is \(member.value.typeName); it must be an object with details")
        }
        service("webcredentials", file.webcredentials)
        service("appclips", file.appclips)
        service("activitycontinuation", file.activitycontinuation)
        service("authsrv", file.authsrv)
    }

    private mutating func service(_ name: String, _ field: JSONField<AppsService>) {
        let rule = AppleStructureRules.serviceAppsMissing
        if case .wrongType(let member) = field {
            sheet.add(
                rule, at: member.value, "\(name) is \(member.value.typeName); it must be an object with a list of apps")
        }
        guard let service = field.value, let member = field.member else { return }
        var unknown = misplaced(service.unknownMembers, in: name)
        let details = unknown.filter { $0.key == "details" }
        unknown.removeAll { $0.key == "details" }
        if let first = details.first {
            sheet.add(
                AppleStructureRules.detailsOutside, at: first, "details under \(name); only applinks has details")
        }
        let meant = unknownKeys(unknown, known: ["apps"], in: name)
        switch service.apps {
        case .absent:
            guard meant.isEmpty, details.isEmpty else { return }
            sheet.add(rule, at: member, "\(name) has no list of apps")
        case .wrongType(let apps):
            sheet.add(rule, at: apps.value, "\(name).apps is \(apps.value.typeName); it must be a list of strings")
        case .present(let apps, let list):
            if apps.isEmpty, details.isEmpty { sheet.add(rule, at: list.value, "\(name).apps is empty") }
            for app in apps where app.string == nil {
                sheet.add(rule, at: app, "\(name).apps holds \(app.typeName); it must hold strings")
            }
        }
    }

    /// Says which of the keys are services that belong to the root.
    ///
    /// - Returns: the others.
    mutating func misplaced(_ members: [JSONMember], in place: String) -> [JSONMember] {
        members.filter { member in
            guard AASAFile.services.contains(member.key) else { return true }
            sheet.add(
                AppleStructureRules.misplacedService, at: member,
                "\(member.key) is inside \(place); services stand at the root")
            return false
        }
    }
}
