import SSOShared

/// Checks that the files of a host, an iOS app's entitlement and an Android app's manifest agree: codes `project.*`.
public struct ProjectLint: Sendable {
    /// The host that serves the files. If it is `nil`, checks for one host are skipped.
    public var host: String?
    public var aasa: AASAFile?
    public var assetLinks: AssetLinksFile?
    /// The iOS app with its prefix. If it is `nil`, any app of the file is accepted.
    public var appleAppID: String?
    /// The values of `com.apple.developer.associated-domains`. `nil` if they are not available.
    public var domains: [AssociatedDomain]?
    /// Whether the build is meant for users, or `nil` if unknown.
    public var isRelease: Bool?
    /// The Android app. If it is `nil`, any package of the file is accepted.
    public var package: String?
    /// The intent filters of the manifest, or `nil` if it is not available.
    public var filters: [IntentFilter]?
    /// The names of the inputs, for the findings.
    public var aasaName = "apple-app-site-association"
    public var assetLinksName = "assetlinks.json"
    public var entitlementsName = "entitlements"
    public var manifestName = "AndroidManifest.xml"

    public init(host: String? = nil) { self.host = host?.lowercased() }

    /// All differences among the available inputs.
    public var findings: [Finding] {
        var findings: [Finding] = []
        for domain in domains ?? [] {
            findings += AssociatedDomainLint.findings(of: domain, isRelease: isRelease, file: entitlementsName)
        }
        findings += entitlementFindings
        for filter in filters ?? [] { findings += IntentFilterLint.findings(of: filter, file: manifestName) }
        return findings + manifestHostFindings + dynamicScopeFindings
    }

    // MARK: Apple

    private var entitlementFindings: [Finding] {
        guard let host, let aasa, let domains else { return [] }
        return AASAFile.services.compactMap { service in
            let listed = aasa.apps(of: service)
            let app = appleAppID ?? listed.first
            let isListed = app.map(listed.contains) ?? false
            let named = domains.first { domain in
                let name = domain.host.lowercased()
                // A wildcard matches subdomains, and its file is that of the host itself.
                return domain.service == service && (name == host || name == "*." + host)
            }
            // A value that the build fills in may name the host.
            if named == nil, domains.contains(where: { $0.isUnfilled && $0.mayBe(service) }) { return nil }
            if isListed, named == nil, let app {
                // With a wildcard for a parent domain, the app reads the parent's file. That may be intended.
                let parent = domains.first { $0.service == service && Self.isWildcard($0.host, over: host) }
                let tail = parent.map { " (\($0.raw) reads the file of \($0.host.dropFirst(2)).)" } ?? ""
                return Finding(
                    ProjectRules.entitlementMissing,
                    "The file of \(host) names \(app) in \(service); the entitlement has no \(service):\(host).\(tail)",
                    severity: parent == nil ? nil : .warning, fix: "Add \(service):\(host).", file: entitlementsName)
            }
            if let named, !isListed {
                let app = app ?? "the app"
                return Finding(
                    ProjectRules.appNotListed,
                    "The entitlement has \(named.raw); the file of \(host) does not name \(app) in \(service).",
                    file: aasaName)
            }
            return nil
        }
    }

    private static func isWildcard(_ name: String, over host: String) -> Bool {
        name.hasPrefix("*.") && host.hasSuffix(name.lowercased().dropFirst())
    }

    // MARK: Android

    /// The packages of the file that can open links.
    private var packages: [String] { assetLinks.map { AndroidMatcher($0).apps } ?? [] }

    private var manifestHostFindings: [Finding] {
        guard let host, assetLinks != nil, let filters else { return [] }
        // The value of a resource or of a build placeholder is unknown here, so a missing host cannot be reported.
        guard !filters.flatMap(\.hosts).contains(where: { BuildPlaceholder.isIn($0.name) }) else { return [] }
        let package = package ?? packages.first
        let isListed = package.map(packages.contains) ?? false
        let naming = filters.filter { filter in
            // A wildcard is verified by the file of the host itself.
            filter.hosts.contains { $0.matches(host: host) || $0.name.lowercased() == "*." + host }
        }
        let verified = naming.filter { $0.autoVerify && $0.takesWebLinks }
        if isListed, verified.isEmpty, let package {
            let why =
                naming.isEmpty
                ? "no intent filter of the manifest names the host"
                : naming.contains(where: \.autoVerify)
                    ? "the intent filter that names the host is not verified" : "its intent filter has no autoVerify"
            return [
                Finding(
                    ProjectRules.manifestHost, "assetlinks.json of \(host) names \(package); \(why).",
                    file: manifestName, position: naming.first?.position)
            ]
        }
        if !verified.isEmpty, !isListed {
            let isNamed = assetLinks?.statements.contains {
                $0.relations.contains(AssetLinks.handleAllURLs) && $0.target.value?.packageName.value == package
            }
            return [
                Finding(
                    ProjectRules.manifestHost,
                    "The manifest wants \(host) verified; its assetlinks.json "
                        + (package != nil && isNamed == true
                            ? "names \(package ?? "") without a fingerprint that an app can have."
                            : "does not name \(package ?? "the app")."),
                    file: assetLinksName)
            ]
        }
        return []
    }

    /// Links that a dynamic rule allows and no intent filter matches, one link per rule.
    private var dynamicScopeFindings: [Finding] {
        guard let assetLinks, let filters else { return [] }
        let android = AndroidMatcher(assetLinks)
        let manifest = ManifestMatcher(filters)
        guard let package = package ?? android.apps.first, let rules = android.dynamicRules(of: package),
            rules.flaws.isEmpty,
            let host = host ?? manifest.filters.lazy.flatMap(\.hosts).first?.name, !host.hasPrefix("*")
        else { return [] }
        var told: Set<Int> = []
        var findings: [Finding] = []
        // A catch-all rule means that the manifest decides.
        for rule in rules.rules where !rule.isExclude && rule.path?.steps != [.star] {
            var samples = ParitySamples(limit: 200)
            samples.add(rule)
            for address in samples.addresses {
                guard !told.contains(rule.index), let url = LinkURL("https://\(host)\(address)") else { continue }
                let explanation = rules.explain(url)
                guard explanation.decision == .opens, explanation.deciding?.rule == rule.index,
                    manifest.filter(for: url) == nil
                else { continue }
                told.insert(rule.index)
                findings.append(
                    Finding(
                        ProjectRules.manifestDynamicScope,
                        "A dynamic rule allows \(url); no intent filter of the manifest takes it.",
                        file: assetLinksName, position: assetLinks.document.position(at: rule.range.lowerBound),
                        pointer: assetLinks.document.pointer(at: rule.range.lowerBound)))
            }
        }
        return findings
    }
}

/// Reports reasons why an intent filter with `autoVerify` is not verified.
///
/// Source: Google, "Verify Android App Links" and "Test App Links"; Android, "`<data>` element".
enum IntentFilterLint {
    static func findings(of filter: IntentFilter, file: String) -> [Finding] {
        guard filter.autoVerify || filter.takesWebLinks else { return [] }
        let name = filter.autoVerify ? "autoVerify filter" : "intent filter"
        let place = filter.activity.map { "The \(name) of \($0)" } ?? "An \(name)"
        return (filter.autoVerify ? verification(of: filter, place: place, file: file) : [])
            + IntentFilterPathLint.findings(of: filter, place: place, file: file)
            + FilterGroupLint.findings(of: filter, place: place, file: file)
    }

    private static func verification(of filter: IntentFilter, place: String, file: String) -> [Finding] {
        let isOwn =
            !filter.schemes.isEmpty
            && filter.schemes.allSatisfy { !["http", "https"].contains($0.lowercased()) && !BuildPlaceholder.isIn($0) }
        if isOwn {
            return [
                Finding(
                    ProjectRules.manifestFilter,
                    "\(place) has only the scheme \(filter.schemes[0].quoted): autoVerify has no effect here.",
                    severity: .info, fix: "Remove android:autoVerify from this filter.", file: file,
                    position: filter.position)
            ]
        }
        var faults: [(text: String, position: SourcePosition?)] = []
        var lacks: [String] = []
        if !filter.actions.contains("android.intent.action.VIEW") { lacks.append("the action VIEW") }
        if !filter.categories.contains("android.intent.category.BROWSABLE") { lacks.append("the category BROWSABLE") }
        if !filter.categories.contains("android.intent.category.DEFAULT") { lacks.append("the category DEFAULT") }
        if !lacks.isEmpty { faults.append(("lacks " + lacks.joined(separator: " and "), nil)) }

        let web = filter.schemes.filter { $0 == "http" || $0 == "https" }
        let others = filter.schemes.filter { $0 != "http" && $0 != "https" && !BuildPlaceholder.isIn($0) }
        if web.isEmpty, others.count == filter.schemes.count {
            faults.append(("has neither http nor https", nil))
        } else if !others.isEmpty {
            faults.append(("mixes http or https with the scheme \(others[0].quoted)", nil))
        }
        if filter.hosts.isEmpty { faults.append(("names no host", nil)) }
        for host in filter.hosts {
            if let fault = fault(in: host) { faults.append((fault, host.position)) }
        }
        return faults.map { fault in
            Finding(
                ProjectRules.manifestFilter, "\(place) \(fault.text).", file: file,
                position: fault.position ?? filter.position)
        }
    }

    private static func fault(in host: ManifestHost) -> String? {
        let name = host.name
        // The value of a resource or of a build placeholder is unknown here.
        if BuildPlaceholder.isIn(name) { return nil }
        if name.isEmpty { return "has an empty host" }
        if name.contains("://") || name.contains("/") {
            return "has the host \(name.quoted): a host alone, no scheme and no path"
        }
        if name.contains(":") { return "has the host \(name.quoted): the port goes into android:port" }
        if name == "*" { return "has the host \"*\": every host there is cannot be verified" }
        if name.dropFirst().contains("*") || name.hasPrefix("*") && !name.hasPrefix("*.") {
            return "has the host \(name.quoted): a wildcard is *. at the start"
        }
        if name.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f }) { return "has a blank in the host \(name.quoted)" }
        if let port = host.port, port != "-1", !BuildPlaceholder.isIn(port) {
            return "has the port \(port.quoted): links without a written port do not match it"
        }
        return nil
    }
}
