import SSOShared

/// Lints an apple-app-site-association file that was parsed: the codes `aasa.*`, `id.*` and `pat.*`.
struct AASALint {
    let file: AASAFile
    let options: LintOptions
    var findings: FindingCollector

    let matcher: AppleMatcher
    /// `nil` if the file has no `applinks`.
    let facts: AASAFacts?
    /// Example URLs of rules, kept for the parts that ask for the same ones.
    var examples = RuleExamples()
    /// Patterns of the current entry that do not begin with a slash.
    var slashless: [JSONNode] = []

    /// The parts. Each adds findings, and none depends on what another one did.
    static let parts: [@Sendable (inout AASALint) -> Void] = [
        { $0.services() }, { $0.identifiers() }, { $0.applinks() }, { $0.entryLists() }, { $0.variables() },
        { $0.order() }, { $0.idleExcludes() }, { $0.claims() }, { $0.systems() },
    ]

    /// - Parameter parts: the parts in the order in which they run.
    static func check(
        _ file: AASAFile, options: LintOptions, parts: [@Sendable (inout AASALint) -> Void] = parts,
        into findings: inout FindingCollector
    ) {
        let matcher = AppleMatcher(file)
        let facts = file.applinks.value.map { AASAFacts($0, matcher) }
        var lint = AASALint(file: file, options: options, findings: findings, matcher: matcher, facts: facts)
        for part in parts { part(&lint) }
        findings = lint.findings
    }

    var entries: [(number: Int, entry: AppLinksEntry)] { facts?.entries ?? [] }

    /// The entries with their numbers. The count starts at 1 and includes elements of other types. Empty if `details`
    /// is one entry instead of a list: all findings about that entry would follow from this one error.
    static func entries(_ applinks: AppLinks) -> [(number: Int, entry: AppLinksEntry)] {
        guard let details = applinks.details.value, !isLoneEntry(applinks) else { return [] }
        let nodes = applinks.details.member?.value.array ?? []
        guard nodes.count != details.entries.count, !nodes.isEmpty else {
            return details.entries.enumerated().map { ($0.offset + 1, $0.element) }
        }
        let places = nodes.indices.filter { nodes[$0].object != nil }
        return zip(places, details.entries).map { ($0 + 1, $1) }
    }

    static func isLoneEntry(_ applinks: AppLinks) -> Bool {
        guard applinks.details.value?.form == .dictionary else { return false }
        return applinks.details.member?.value.object?.contains { Self.entryKeys.contains($0.key) } == true
    }

    static let entryKeys = ["appIDs", "appID", "components", "paths", "defaults"]
}

extension AASALint {
    /// Checks `applinks`: its keys, the form of `details`, and each entry.
    mutating func applinks() {
        guard let applinks = file.applinks.value else { return }
        let rules = AppleStructureRules.self
        let unknown = misplaced(applinks.unknownMembers, in: "applinks")
        let meant = unknownKeys(
            unknown, known: ["apps", "details", "defaults", "substitutionVariables"], in: "applinks")
        switch applinks.apps {
        case .absent: break
        case .wrongType(let apps): findings.add(rules.appsNonEmpty, "applinks.apps", apps.value, mustBe: "[]")
        case .present(let apps, let member):
            guard !apps.isEmpty else { break }
            findings.add(rules.appsNonEmpty, at: member.value, "applinks.apps lists \(apps.count) apps; it must be []")
        }
        switch applinks.details {
        case .absent:
            guard !meant.contains("details"), let member = file.applinks.member else { break }
            findings.add(rules.detailsMissing, at: member, "applinks has no details")
        case .wrongType(let details): findings.add(rules.detailsMissing, "details", details.value, mustBe: "a list")
        case .present(let details, let member): self.details(details, member, applinks)
        }
        defaults(applinks.defaults, in: "applinks")
        for entry in applinks.entries { defaults(entry.defaults, in: "an entry") }
        for (number, entry) in entries { self.entry(number, entry, applinks) }
    }

    private mutating func details(_ details: AppLinksDetails, _ member: JSONMember, _ applinks: AppLinks) {
        let rules = AppleStructureRules.self
        if Self.isLoneEntry(applinks) {
            return findings.add(
                rules.detailsObject, at: member.value, "details is one entry; it must be a list of entries")
        }
        if details.entries.isEmpty, details.strays.isEmpty {
            findings.add(
                rules.detailsMissing, at: member.value, "details is empty: no link opens an app", severity: .warning)
        } else if details.form == .dictionary {
            findings.add(
                rules.detailsDictionary, at: member.value, "details is a dictionary of apps, which is obsolete")
        }
        for stray in details.strays {
            findings.add(rules.rulesType, at: stray, "An element of details is \(stray.typeName); it must be an object")
        }
    }

    private mutating func defaults(_ field: JSONField<ComponentFields>, in place: String) {
        if case .wrongType(let member) = field {
            findings.add(AppleComponentRules.type, "defaults", member.value, mustBe: "an object")
        }
        guard let fields = field.value else { return }
        _ = unknownKeys(fields.unknownMembers, known: ComponentFields.keys, in: "the defaults of \(place)")
        let patterns = fields.node.object?.filter { ["/", "?", "#", "exclude"].contains($0.key) } ?? []
        if let first = patterns.first {
            let keys = patterns.map(\.key.quoted).joined(separator: ", ")
            findings.add(
                AppleComponentRules.defaultsPattern, at: first,
                "The defaults of \(place) set \(keys): undocumented, and it applies to every component without")
        }
        fieldTypes(fields)
    }
}

extension AASALint {
    /// Checks the root, and the services that have a plain list of apps.
    mutating func services() {
        let rules = AppleStructureRules.self
        var unknown = file.unknownMembers
        if let details = unknown.firstIndex(where: { $0.key == "details" }) {
            findings.add(rules.detailsOutside, at: unknown[details], "details at the root; only applinks has details")
            unknown.remove(at: details)
        }
        let hasDetails = unknown.count < file.unknownMembers.count
        let meant = unknownKeys(unknown, known: AASAFile.services, in: "the root", as: rules.unknownService)
        let hasService = file.members.contains { AASAFile.services.contains($0.key) }
        if !hasService, meant.isEmpty, !hasDetails, let root = file.document.root {
            let names = AASAFile.services.joined(separator: ", ")
            findings.add(rules.noService, at: root, "None of \(names) is at the root")
        }
        if case .wrongType(let member) = file.applinks {
            findings.add(rules.detailsMissing, "applinks", member.value, mustBe: "an object with details")
        }
        for (name, field) in file.appServices { service(name, field) }
    }

    private mutating func service(_ name: String, _ field: JSONField<AppsService>) {
        let rule = AppleStructureRules.serviceAppsMissing
        if case .wrongType(let member) = field {
            findings.add(rule, name, member.value, mustBe: "an object with a list of apps")
        }
        guard let service = field.value, let member = field.member else { return }
        var unknown = misplaced(service.unknownMembers, in: name)
        let details = unknown.filter { $0.key == "details" }
        unknown.removeAll { $0.key == "details" }
        if let first = details.first {
            findings.add(
                AppleStructureRules.detailsOutside, at: first, "details under \(name); only applinks has details")
        }
        let meant = unknownKeys(unknown, known: ["apps"], in: name)
        switch service.apps {
        case .absent:
            guard meant.isEmpty, details.isEmpty else { return }
            findings.add(rule, at: member, "\(name) has no list of apps")
        case .wrongType(let apps): findings.add(rule, "\(name).apps", apps.value, mustBe: "a list of strings")
        case .present(let apps, let list):
            if apps.isEmpty, details.isEmpty { findings.add(rule, at: list.value, "\(name).apps is empty") }
            for app in apps where app.string == nil {
                findings.add(rule, at: app, "\(name).apps holds \(app.typeName); it must hold strings")
            }
        }
    }

    /// Reports keys that are services and belong to the root.
    ///
    /// - Returns: the other members.
    mutating func misplaced(_ members: [JSONMember], in place: @autoclosure () -> String) -> [JSONMember] {
        members.filter { member in
            guard AASAFile.services.contains(member.key) else { return true }
            findings.add(
                AppleStructureRules.misplacedService, at: member,
                "\(member.key) is inside \(place()); services belong at the root")
            return false
        }
    }
}

extension AASALint {
    /// Reports keys that no system reads.
    ///
    /// - Returns: the known keys that a misspelled key probably stands for. Their absence needs no second finding.
    mutating func unknownKeys(
        _ members: [JSONMember], known: [String], in place: @autoclosure () -> String,
        as rule: LintRule = AppleStructureRules.unknownKey
    ) -> Set<String> {
        var meant: Set<String> = []
        for member in members {
            var key: String { member.key.quoted }
            if Self.isRemark(member.key) {
                findings.add(rule, at: member, "\(key) in \(place()) is not a known key", severity: .info)
            } else if !findings.isFull(rule), let near = SpellingSuggestion.of(member.key, among: known) {
                meant.insert(near)
                let isCase = Self.isSameLetters(member.key, near)
                let rule = rule == AppleStructureRules.unknownKey && isCase ? AppleStructureRules.keyCase : rule
                findings.add(
                    rule, at: member, "\(key) in \(place()) is not a known key; did you mean \(near.quoted)?",
                    severity: .error, fix: .rename(member, to: near))
            } else {
                findings.add(rule, at: member, "\(key) in \(place()) is not a known key")
            }
        }
        return meant
    }

    /// Whether the key is a remark, which systems are expected to ignore.
    static func isRemark(_ key: String) -> Bool {
        remarkStarts.contains { key.hasPrefix($0) } || remarkWords.contains(key.lowercased())
    }

    private static let remarkStarts = ["_", "$", "//", "#"]
    private static let remarkWords = ["comment", "comments", "description", "note", "version"]

    /// ``isRemark(_:)`` as a regular expression of a JSON schema, which has no flag for letter case.
    static let remarkPattern: String = {
        let words = remarkWords.map { $0.map { "[\($0.uppercased())\($0)]" }.joined() }
        return
            "^(\(remarkStarts.joined(separator: "|").replacing("$", with: "\\$"))|(\(words.joined(separator: "|")))$)"
    }()

    private static func isSameLetters(_ left: String, _ right: String) -> Bool {
        func letters(_ text: String) -> String { text.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " } }
        return letters(left) == letters(right)
    }
}
