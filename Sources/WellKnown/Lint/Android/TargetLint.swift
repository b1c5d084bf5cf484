import SSOShared

/// What is wrong with the target of one statement.
struct TargetLint {
    /// The app it speaks of, when it has a well-formed name.
    private(set) var package: String?
    private(set) var fingerprints: [(octets: [UInt8], node: JSONNode)] = []

    init(_ target: AssetTarget, relations: [String], pen: inout FindingPen) {
        let members = target.node.object ?? []
        let namespace = Self.namespace(of: target)
        let needed =
            namespace == "web" ? ["namespace", "site"] : ["namespace", "package_name", "sha256_cert_fingerprints"]
        let unknown = UnknownKeyLint(
            // Those that have a finding of their own.
            target.unknownMembers.filter {
                $0.key != RelationExtension.componentsKey && $0.key != "relation_extensions"
                    && !DynamicPlaceLint.isBogusExclude($0)
            },
            known: AssetTarget.keys, present: members, needed: needed, place: "target", pen: &pen)
        lintNamespace(target, guess: namespace, isMisspelled: unknown.meant.contains("namespace"), pen: &pen)
        switch namespace {
        case "android_app":
            if let site = target.site.member { lintMixed(site, namespace: "android_app", pen: &pen) }
            // With a site alone there is one fault, not three.
            if !target.site.isAbsent, target.packageName.isAbsent, target.fingerprints.isAbsent { return }
            lintPackage(target, isMisspelled: unknown.meant.contains("package_name"), pen: &pen)
            let lint = FingerprintLint(
                target, misspelled: unknown.meant.contains("sha256_cert_fingerprints"), pen: &pen)
            fingerprints = lint.fingerprints
        case "web":
            let foreign = target.packageName.member ?? target.fingerprints.member
            if let foreign { lintMixed(foreign, namespace: "web", pen: &pen) }
            let isTold = foreign != nil && target.site.isAbsent || unknown.meant.contains("site")
            if !isTold { lintSite(target, relations: relations, pen: &pen) }
        default: break
        }
    }

    /// The namespace that is written, or the one that the keys speak for.
    static func namespace(of target: AssetTarget) -> String? {
        if let name = target.namespace.value, name == "web" || name == "android_app" || name == "ios_app" {
            return name
        }
        if !target.packageName.isAbsent || !target.fingerprints.isAbsent { return "android_app" }
        if !target.site.isAbsent { return "web" }
        return nil
    }

    private func lintNamespace(_ target: AssetTarget, guess: String?, isMisspelled: Bool, pen: inout FindingPen) {
        let fix = guess.map { "Write \"namespace\": \"\($0)\"." }
        switch target.namespace {
        case .absent:
            guard !isMisspelled else { return }
            pen.note(StatementRules.namespace, "The target has no namespace.", at: target.node, fix: fix)
        case .wrongType(let member):
            pen.note(StatementRules.namespace, "namespace is \(member.value.typeName).", at: member.value, fix: fix)
        case .present("web", _), .present("android_app", _): break
        case .present("ios_app", let member):
            pen.note(
                StatementRules.namespace, "namespace is \"ios_app\": the specification has it, and no reader.",
                at: member.value, severity: .warning)
        case .present(let name, let member):
            pen.note(
                StatementRules.namespace, "namespace is \(name.quoted); it must be android_app or web.",
                at: member.value, fix: fix)
        }
    }

    private func lintMixed(_ member: JSONMember, namespace: String, pen: inout FindingPen) {
        let other = namespace == "web" ? "android_app" : "web"
        pen.note(
            StatementRules.targetKeys, "\(member.key) belongs to \(other), and the namespace is \(namespace).",
            atKey: member)
    }

    private mutating func lintPackage(_ target: AssetTarget, isMisspelled: Bool, pen: inout FindingPen) {
        switch target.packageName {
        case .absent:
            guard !isMisspelled else { return }
            pen.note(StatementRules.packageMissing, "The target has no package_name.", at: target.node)
        case .wrongType(let member):
            pen.note(
                StatementRules.packageMissing, "package_name is \(member.value.typeName); it must be a string.",
                at: member.value)
        case .present("", let member):
            pen.note(StatementRules.packageMissing, "package_name is empty.", at: member.value)
        case .present(let name, let member):
            guard let fault = PackageName.fault(in: name) else {
                package = name
                return
            }
            let trimmed = PackageName.trimmed(name)
            let fix = trimmed != name && PackageName.fault(in: trimmed) == nil ? "Write \"\(trimmed)\"." : nil
            pen.note(
                StatementRules.packageSyntax, "package_name \(name.quoted) \(fault).", at: member.value, fix: fix)
        }
    }

    private func lintSite(_ target: AssetTarget, relations: [String], pen: inout FindingPen) {
        guard let member = target.site.member else {
            pen.note(StatementRules.siteSyntax, "The target has no site.", at: target.node)
            return
        }
        guard let text = target.site.value else {
            pen.note(
                StatementRules.siteSyntax, "site is \(member.value.typeName); it must be a string.", at: member.value)
            return
        }
        do {
            let site = try SiteAddress(text)
            // Chrome alone: the address of an app's web manifest.
            let mayHavePath = relations == [RelationNames.queryWebAPK]
            if !site.rest.isEmpty, !mayHavePath || site.rest.utf8.first != UInt8(ascii: "/") {
                pen.note(
                    StatementRules.siteSyntax, "site \(text.quoted) goes on after the host, with \(site.rest.quoted).",
                    at: member.value, fix: "Write \(String(text.dropLast(site.rest.count)).quoted).")
            } else if site.scheme == "http" {
                pen.note(StatementRules.siteHTTP, "site \(text.quoted) is http.", at: member.value)
            }
        } catch {
            var fix: String?
            if case .noScheme = error, (try? SiteAddress("https://" + text))?.rest == "" {
                fix = "Write \"https://\(text)\"."
            }
            pen.note(StatementRules.siteSyntax, "site \(text.quoted): \(error).", at: member.value, fix: fix)
        }
    }
}
