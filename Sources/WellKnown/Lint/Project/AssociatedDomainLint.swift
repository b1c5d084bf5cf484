import SSOShared

/// Checks one value of the associated-domains entitlement.
///
/// Sources: Apple, "Associated Domains Entitlement"; Technote TN3155; WWDC 2019 session 717 (Punycode).
enum AssociatedDomainLint {
    private static let modes = ["developer", "managed", "developer+managed"]

    static func findings(of domain: AssociatedDomain, isRelease: Bool?, file: String) -> [Finding] {
        if let fault = fault(in: domain) {
            return [
                Finding(
                    ProjectRules.entitlementSyntax, "\(domain.raw.quoted) \(fault.text).",
                    fix: fault.corrected.flatMap { domain.isUnfilled ? nil : "Write \"\($0)\"." }, file: file,
                    position: domain.position)
            ]
        }
        var findings: [Finding] = []
        if AssociatedDomain(BuildPlaceholder.neutral(domain.raw)).host.utf8.contains(where: \.isASCIIUpper) {
            let mode = domain.mode.map { "?mode=\($0)" } ?? ""
            findings.append(
                Finding(
                    ProjectRules.entitlementSyntax, "\(domain.raw.quoted) has upper-case letters in its host.",
                    severity: .warning,
                    reason: "Host names have no case, so links open the app. Programs that compare the text as written "
                        + "do not find the host.",
                    fix: domain.isUnfilled ? nil : "Write \"\(domain.service):\(domain.host.lowercased())\(mode)\".",
                    file: file, position: domain.position))
        }
        if domain.service == "appclips", domain.host.hasPrefix("*.") {
            findings.append(
                Finding(
                    ProjectRules.entitlementWildcardClip, "\(domain.raw.quoted) has a wildcard; appclips takes none.",
                    file: file, position: domain.position))
        }
        if let mode = domain.mode, !BuildPlaceholder.isIn(mode), isRelease != false,
            mode.contains("developer") || isRelease == true
        {
            findings.append(
                Finding(
                    ProjectRules.entitlementMode,
                    "\(domain.raw.quoted) has mode=\(mode)\(isRelease == nil ? "; is this a release build?" : " in a release build.")",
                    severity: isRelease == nil || mode == "managed" ? .warning : nil,
                    fix: "Write \"\(domain.service):\(domain.host)\".", file: file, position: domain.position))
        }
        return findings
    }

    private static func fault(in domain: AssociatedDomain) -> (text: String, corrected: String?)? {
        // A build fills placeholders in. What is around them can be checked.
        let isUnfilled = domain.isUnfilled
        let raw = BuildPlaceholder.neutral(domain.raw)
        let domain = AssociatedDomain(raw)
        if isUnfilled, domain.service.isEmpty || domain.service.contains(BuildPlaceholder.neutralWord) { return nil }
        let trimmed = PackageName.trimmed(raw)
        if trimmed.utf8.count != raw.utf8.count { return ("has blanks or invisible characters around it", trimmed) }
        guard raw.contains(":") else {
            let isHost = host(raw) == raw && raw.contains(".")
            return ("has no service before a colon", isHost ? "applinks:\(raw)" : nil)
        }
        if domain.service == "http" || domain.service == "https" {
            return (
                "is an address, not service:host",
                host(String(raw.dropFirst(domain.service.count + 3))).map { "applinks:\($0)" }
            )
        }
        guard AASAFile.services.contains(domain.service) else {
            let meant = SpellingSuggestion.of(domain.service, among: AASAFile.services)
            return (
                "has the unknown service \(domain.service.quoted)",
                meant.map { "\($0):\(raw.dropFirst(domain.service.count + 1))" }
            )
        }
        let mode = domain.mode.map { "?mode=\($0)" } ?? ""
        let corrected = host(domain.host).map { "\(domain.service):\($0)\(mode)" }
        if let text = hostDefect(domain.host) { return (text, corrected) }
        guard let mark = raw.firstIndex(of: "?") else { return nil }
        guard let mode = domain.mode, raw[mark...] == "?mode=\(mode)" else {
            return ("has something other than ?mode=… after the host", corrected)
        }
        return modes.contains(mode) || mode.contains(BuildPlaceholder.neutralWord)
            ? nil : ("has the unknown mode \(mode.quoted)", nil)
    }

    private static func hostDefect(_ host: String) -> String? {
        if host.isEmpty { return "has no host" }
        if host.contains("://") { return "has a scheme" }
        if host.contains("/") {
            return host.hasSuffix("/") && host.filter({ $0 == "/" }).count == 1 ? "ends in a slash" : "has a path"
        }
        if host.contains(":") { return "has a port; the system asks 443 only" }
        if host.utf8.contains(where: { $0 >= 0x80 }) { return "has a host that is not in Punycode" }
        if host.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f }) { return "has a blank in it" }
        let name = host.hasPrefix("*.") ? host.dropFirst(2) : host[...]
        if name.contains("*") { return "has a wildcard that is not *. at the start" }
        let isName = name.utf8.allSatisfy {
            $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x2d || $0 == 0x2e || $0 == 0x5f
        }
        if !isName { return "has a character that no host has" }
        let labels = name.utf8.split(separator: 0x2e, omittingEmptySubsequences: false)
        return labels.contains { $0.isEmpty } ? "has an empty part in its host" : nil
    }

    /// The host in a text that has other parts too, in lower case. `nil` if there is no host.
    private static func host(_ text: String) -> String? {
        var rest = text[...]
        if let scheme = rest.firstRange(of: "://") { rest = rest[scheme.upperBound...] }
        let host = String(rest.prefix { $0 != "/" && $0 != ":" && $0 != "?" && $0 != "#" }).lowercased()
        return hostDefect(host) == nil ? host : nil
    }
}

/// The rules that compare the server, the app and its signature: codes `project.*`.
public enum ProjectRules {
    private static let apple = "Apple, \"Associated Domains Entitlement\""
    private static let android = "Google, \"Verify Android App Links\""

    public static let rules: [LintRule] = [
        entitlementMissing, appNotListed, entitlementSyntax, entitlementMode, entitlementWildcardClip, manifestHost,
        manifestFilter, manifestPath, manifestPathsCross, manifestGroup, manifestDynamicScope,
    ]

    static let entitlementMissing = LintRule(
        "project.entitlement-missing", .error, "The file names the app, and the app does not name the host",
        reason: "The system never fetches the file, so no link opens the app.",
        fix: "Add the host to the app's associated domains.", source: apple)
    static let appNotListed = LintRule(
        "project.app-not-listed", .error, "The app names the host, and the file does not name the app",
        reason: "The system fetches the file and does not find the app, so links open the browser.",
        fix: "Add the app, with its Team ID, to the service in the host's file.", source: apple)
    static let entitlementSyntax = LintRule(
        "project.entitlement-syntax", .error, "An associated domain that is not service:host",
        reason: "The system ignores the value.",
        fix: "Write service:host with only the host, in lower case and Punycode.", source: "\(apple); Technote TN3155")
    static let entitlementMode = LintRule(
        "project.entitlement-mode", .error, "An alternate mode in a release build",
        reason: "App Review rejects it, and for users the system does not look up the domain.",
        fix: "Remove ?mode=… from the release build's entitlements.", source: apple)
    static let entitlementWildcardClip = LintRule(
        "project.entitlement-wildcard-clip", .error, "A wildcard with appclips",
        reason: "The other services accept wildcards. appclips ignores the value.",
        fix: "Name each host.", source: apple)
    static let manifestHost = LintRule(
        "project.manifest-host", .error, "The manifest and assetlinks.json do not name each other",
        reason: "Android verifies the hosts of autoVerify filters with a file that names the app. Without both, the "
            + "link opens the browser. On Android 11 and older, one such host prevents the verification of all "
            + "hosts.",
        fix: "Name the host in an intent filter with autoVerify, and the app in the host's file.", source: android)
    static let manifestFilter = LintRule(
        "project.manifest-filter", .error, "An intent filter with autoVerify that is not verified",
        reason: "Android does not verify the filter: its links open the browser or a chooser.",
        fix: "Use VIEW, BROWSABLE and DEFAULT, only the schemes http and https, and plain hosts.", source: android)
    static let manifestPath = LintRule(
        "project.manifest-path", .error, "A path of an intent filter that never matches",
        reason: "Android compares the text literally, or reads the pattern differently: the links open the browser.",
        fix: "Begin the path with a slash, and use pathPrefix, or pathPattern with .* for any text.",
        source: "Android, \"<data>\"; AOSP, PatternMatcher")
    static let manifestPathsCross = LintRule(
        "project.manifest-paths-cross", .warning, "Hosts and paths that were written as pairs are combined",
        reason: "Android takes every host of a filter with every path of it: the app also opens links that no <data> "
            + "element names.",
        fix: "Write one intent filter for each host with its own paths.", source: "Android, \"<data>\"")
    static let manifestGroup = LintRule(
        "project.manifest-group", .warning, "A filter group that opens or excludes nothing",
        reason:
            "From Android 15 on, the paths of a filter decide first, then the first group whose conditions hold. This "
            + "group never decides.",
        fix: "Remove the group, or move it before the groups that it limits and the paths into a group.",
        source: "Android, \"<uri-relative-filter-group>\"; AOSP, UriRelativeFilterGroup")
    static let manifestDynamicScope = LintRule(
        "project.manifest-dynamic-scope", .warning, "A dynamic rule outside of the manifest",
        reason: "Dynamic rules narrow the manifest and never widen it: the link does not open the app.",
        fix: "Add the path to the intent filter.", source: "Google, \"Configure Dynamic App Links\"")
}
