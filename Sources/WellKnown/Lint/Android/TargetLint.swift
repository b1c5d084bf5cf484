import SSOShared

struct TargetLint {
    /// The package name, if it is well formed.
    private(set) var package: String?
    private(set) var fingerprints: [(octets: [UInt8], node: JSONNode)] = []

    init(_ target: AssetTarget, relations: [String], into findings: inout FindingCollector) {
        let members = target.node.object ?? []
        let namespace = Self.namespace(of: target)
        let needed =
            namespace == "web" ? ["namespace", "site"] : ["namespace", "package_name", "sha256_cert_fingerprints"]
        let unknown = UnknownKeyLint(
            // These keys have a finding of their own.
            target.unknownMembers.filter {
                $0.key != RelationExtension.componentsKey && $0.key != "relation_extensions" && $0.key != "relation"
                    && !DynamicPlaceLint.isBogusExclude($0)
            }, known: AssetTarget.keys, present: members, needed: needed, place: "target", into: &findings)
        for member in target.unknownMembers where member.key == "relation" {
            UnknownKeyLint.report(member, in: "target", place: "the statement", isThere: !relations.isEmpty, &findings)
        }
        lintNamespace(target, guess: namespace, isMisspelled: unknown.meant.contains("namespace"), into: &findings)
        switch namespace {
        case "android_app":
            if let site = target.site.member { lintMixed(site, namespace: "android_app", into: &findings) }
            // A target that has only a site gets one finding, not three.
            if !target.site.isAbsent, target.packageName.isAbsent, target.fingerprints.isAbsent { return }
            lintPackage(target, isMisspelled: unknown.meant.contains("package_name"), into: &findings)
            let lint = FingerprintLint(
                target, misspelled: unknown.meant.contains("sha256_cert_fingerprints"), into: &findings)
            fingerprints = lint.fingerprints
        case "web":
            let foreign = target.packageName.member ?? target.fingerprints.member
            if let foreign { lintMixed(foreign, namespace: "web", into: &findings) }
            let isTold = foreign != nil && target.site.isAbsent || unknown.meant.contains("site")
            if !isTold { lintSite(target, relations: relations, into: &findings) }
        default: break
        }
    }

    /// The namespace in the file, or else the namespace that the other keys suggest.
    static func namespace(of target: AssetTarget) -> String? {
        if let name = target.namespace.value, name == "web" || name == "android_app" || name == "ios_app" {
            return name
        }
        if !target.packageName.isAbsent || !target.fingerprints.isAbsent { return "android_app" }
        if !target.site.isAbsent { return "web" }
        return nil
    }

    private func lintNamespace(
        _ target: AssetTarget, guess: String?, isMisspelled: Bool, into findings: inout FindingCollector
    ) {
        func fix(_ change: (String) -> FindingFix.Change) -> FindingFix? {
            guess.map { FindingFix(words: "Write \"namespace\": \"\($0)\".", [change($0)]) }
        }
        switch target.namespace {
        case .absent:
            guard !isMisspelled else { return }
            findings.add(
                StatementRules.namespace, at: target.node, "The target has no namespace.",
                fix: fix { .insert(key: "namespace", value: $0, target.node) })
        case .wrongType(let member):
            findings.add(
                StatementRules.namespace, at: member.value, "namespace is \(member.value.typeName).",
                fix: fix { .string(member.value.range, $0) })
        case .present("web", _), .present("android_app", _): break
        case .present("ios_app", let member):
            findings.add(
                StatementRules.namespace, at: member.value,
                "namespace is \"ios_app\": the specification has it, and no reader.", severity: .warning)
        case .present(let name, let member):
            findings.add(
                StatementRules.namespace, at: member.value,
                "namespace is \(name.quoted); it must be android_app or web.",
                fix: fix { .string(member.value.range, $0) })
        }
    }

    private func lintMixed(_ member: JSONMember, namespace: String, into findings: inout FindingCollector) {
        let other = namespace == "web" ? "android_app" : "web"
        findings.add(
            StatementRules.targetKeys, at: member,
            "\(member.key) belongs to \(other), and the namespace is \(namespace).")
    }

    private mutating func lintPackage(_ target: AssetTarget, isMisspelled: Bool, into findings: inout FindingCollector)
    {
        switch target.packageName {
        case .absent:
            guard !isMisspelled else { return }
            findings.add(StatementRules.packageMissing, at: target.node, "The target has no package_name.")
        case .wrongType(let member):
            findings.add(StatementRules.packageMissing, "package_name", member.value, mustBe: "a string")
        case .present("", let member):
            findings.add(StatementRules.packageMissing, at: member.value, "package_name is empty.")
        case .present(let name, let member):
            guard let fault = PackageName.fault(in: name) else {
                package = name
                if name.hasPrefix("com.example.") {
                    findings.add(
                        StatementRules.packageSyntax, at: member.value,
                        "package_name \(name.quoted) is that of an example", severity: .info,
                        reason: "The Play Store takes no app whose id begins with com.example.",
                        fix: "Write the id of the released app.")
                }
                return
            }
            let trimmed = PackageName.trimmed(name)
            let isOnlyBlank = trimmed != name && PackageName.fault(in: trimmed) == nil
            findings.add(
                StatementRules.packageSyntax, at: member.value, "package_name \(name.quoted) \(fault).",
                fix: isOnlyBlank ? .write(trimmed, at: member.value) : nil)
        }
    }

    private func lintSite(_ target: AssetTarget, relations: [String], into findings: inout FindingCollector) {
        guard let member = target.site.member else {
            findings.add(StatementRules.siteSyntax, at: target.node, "The target has no site.")
            return
        }
        guard let text = target.site.value else {
            findings.add(StatementRules.siteSyntax, "site", member.value, mustBe: "a string")
            return
        }
        do {
            let site = try SiteAddress(text)
            // Only Chrome reads this relation. `site` is then the URL of the app's web manifest.
            let mayHavePath = relations == [RelationNames.queryWebAPK]
            if !site.rest.isEmpty, !mayHavePath || site.rest.utf8.first != UInt8(ascii: "/") {
                findings.add(
                    StatementRules.siteSyntax, at: member.value,
                    "site \(text.quoted) goes on after the host, with \(site.rest.quoted).",
                    fix: .write(String(text.dropLast(site.rest.count)), at: member.value))
            } else if site.scheme == "http" {
                findings.add(StatementRules.siteHTTP, at: member.value, "site \(text.quoted) is http.")
            }
        } catch {
            var fix: FindingFix?
            if case .noScheme = error, (try? SiteAddress("https://" + text))?.rest == "" {
                fix = .write("https://\(text)", at: member.value)
            }
            findings.add(StatementRules.siteSyntax, at: member.value, "site \(text.quoted): \(error).", fix: fix)
        }
    }
}

/// Reports keys that the format does not define: notes, and misspellings that silently disable something.
struct UnknownKeyLint {
    /// Keys of the format that are missing because they are misspelled. They already have a finding.
    private(set) var meant: Set<String> = []

    /// - Parameters:
    ///   - known: the keys that the format defines in this place.
    ///   - present: the keys of the format that the object has.
    ///   - needed: the keys without which the object does not work.
    init(
        _ members: [JSONMember], known: [String], present: [JSONMember], needed: [String], place: String,
        into findings: inout FindingCollector
    ) {
        let present = Set(present.map(\.key))
        // Comparing a key with all names is slow, and a hostile object can have a hundred thousand keys.
        for (count, member) in members.enumerated() {
            if Self.linkKeys.contains(member.key.lowercased()) {
                findings.add(
                    StatementRules.unknownKey, at: member,
                    "No system reads \(member.key.quoted) in \(place): the manifest of the app says which links open, and from "
                        + "Android 15 on its dynamic rules.", severity: .warning,
                    reason: "Readers ignore the key. The app opens every link that its manifest takes.",
                    fix: FindingFix(
                        words:
                            "Remove it. Write the paths into the intent filters of the manifest, or into relation_extensions "
                            + "as dynamic_app_link_components."))
                continue
            }
            let isNote = AASALint.isRemark(member.key)
            guard !isNote, count < FindingCollector.mostOfOneCode,
                let name = Self.aliases[member.key.lowercased()].flatMap({ known.contains($0) ? $0 : nil })
                    ?? SpellingSuggestion.of(member.key, among: known)
            else {
                findings.add(
                    StatementRules.unknownKey, at: member, "Unknown key \(member.key.quoted) in \(place).",
                    fix: isNote ? "It can stay: no reader looks at it." : nil)
                continue
            }
            let isMissing = !present.contains(name)
            if isMissing { meant.insert(name) }
            findings.add(
                StatementRules.unknownKey, at: member,
                "Unknown key \(member.key.quoted) in \(place): did you mean \(name)?",
                severity: isMissing && needed.contains(name) ? .error : .warning, fix: .rename(member, to: name))
        }
    }

    /// Reports a key of the format in another object than its own.
    ///
    /// - Parameter isThere: whether the right object has the key, too.
    static func report(
        _ member: JSONMember, in wrong: String, place: String, isThere: Bool, _ findings: inout FindingCollector
    ) {
        findings.add(
            StatementRules.unknownKey, at: member,
            "\(member.key) is in \(wrong), where no reader looks; it belongs into \(place)",
            severity: isThere ? .info : .warning, fix: isThere ? "Remove it." : "Move it into \(place).")
    }

    /// Other names for keys, in lower case.
    private static let aliases = [
        "fingerprints": "sha256_cert_fingerprints", "fingerprint": "sha256_cert_fingerprints",
        "sha256_fingerprints": "sha256_cert_fingerprints", "sha256": "sha256_cert_fingerprints",
        "package": "package_name",
    ]

    /// Keys of Apple's file and of the manifest that say which links open, in lower case.
    private static let linkKeys: Set<String> = [
        "paths", "path", "components", "details", "patterns", "pathpattern", "pathprefix", "urls", "url", "links",
        "hosts", "host", "domains", "scheme", "schemes",
    ]
}

/// Checks the form of an Android application id.
///
/// Source: https://developer.android.com/build/configure-app-module#set-application-id
enum PackageName {
    /// Describes the error as the end of a sentence that begins with the name. Returns `nil` if the name is valid.
    static func fault(in name: String) -> String? {
        let bytes = Array(name.utf8)
        if trimmed(name).utf8.count != bytes.count { return "has blanks or invisible characters around it" }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        func isPart(_ byte: UInt8) -> Bool { byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "_") }
        if PlaceholderWords.isOne(name) { return "is a placeholder" }
        let upper = name.uppercased()
        if ["TODO", "YOUR", "REPLACE", "<", "{", "$", "PLACEHOLDER", "PACKAGE_NAME"].contains(where: {
            upper.contains($0)
        }), parts.count < 2 || !bytes.allSatisfy({ isPart($0) || $0 == UInt8(ascii: ".") }) {
            return "is a placeholder"
        }
        if parts.count < 2 { return "has one part only" }
        if bytes.count > 223 { return "is longer than 223 characters" }
        for part in parts {
            let shown = String(decoding: part.prefix(60), as: UTF8.self).quoted
            guard let first = part.first else { return "has an empty part" }
            if !part.allSatisfy(isPart) {
                return "has a character in \(shown) that is not a letter, digit or underscore"
            }
            if !first.isASCIILetter { return "has a part that does not begin with a letter, \(shown)" }
        }
        return nil
    }

    static func trimmed(_ name: String) -> String {
        func isBlank(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint || scalar.value < 0x20
        }
        let scalars = name.unicodeScalars.drop(while: isBlank)
        guard let last = scalars.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(String.UnicodeScalarView(scalars[...last]))
    }

    /// Whether the name is that of a debug build: one of its parts is `debug` or `dbg`.
    static func isDebug(_ name: String) -> Bool {
        name.split(separator: ".").contains { $0 == "debug" || $0 == "dbg" || $0.hasSuffix("_debug") }
    }
}
