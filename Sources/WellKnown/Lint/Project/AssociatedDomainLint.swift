import SSOShared

/// What is wrong with one value of the associated-domains entitlement.
///
/// Sources: Apple, "Associated Domains Entitlement"; Technote TN3155; WWDC 2019 session 717 (Punycode).
enum AssociatedDomainLint {
    private static let modes = ["developer", "managed", "developer+managed"]

    static func findings(of domain: AssociatedDomain, isRelease: Bool?, file: String) -> [Finding] {
        if let fault = fault(in: domain) {
            return [
                Finding(
                    ProjectRules.entitlementSyntax, "\(domain.raw.quoted) \(fault.text).",
                    fix: fault.corrected.map { "Write \"\($0)\"." }, file: file)
            ]
        }
        var findings: [Finding] = []
        if domain.service == "appclips", domain.host.hasPrefix("*.") {
            findings.append(
                Finding(
                    ProjectRules.entitlementWildcardClip, "\(domain.raw.quoted) has a wildcard; appclips takes none.",
                    file: file))
        }
        if let mode = domain.mode, isRelease != false, mode.contains("developer") || isRelease == true {
            findings.append(
                Finding(
                    ProjectRules.entitlementMode,
                    "\(domain.raw.quoted) has mode=\(mode)\(isRelease == nil ? "; is this a release build?" : " in a release build.")",
                    severity: isRelease == nil || mode == "managed" ? .warning : nil,
                    fix: "Write \"\(domain.service):\(domain.host)\".", file: file))
        }
        return findings
    }

    private static func fault(in domain: AssociatedDomain) -> (text: String, corrected: String?)? {
        let raw = domain.raw
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
            let meant = NearName.of(domain.service, among: AASAFile.services)
            return (
                "has the unknown service \(domain.service.quoted)",
                meant.map { "\($0):\(raw.dropFirst(domain.service.count + 1))" }
            )
        }
        let mode = domain.mode.map { "?mode=\($0)" } ?? ""
        let corrected = host(domain.host).map { "\(domain.service):\($0)\(mode)" }
        if let text = hostFault(domain.host) { return (text, corrected) }
        guard let mark = raw.firstIndex(of: "?") else { return nil }
        guard let mode = domain.mode, raw[mark...] == "?mode=\(mode)" else {
            return ("has something other than ?mode=… after the host", corrected)
        }
        return modes.contains(mode) ? nil : ("has the unknown mode \(mode.quoted)", nil)
    }

    private static func hostFault(_ host: String) -> String? {
        if host.isEmpty { return "has no host" }
        if host.contains("://") { return "has a scheme" }
        if host.contains("/") {
            return host.hasSuffix("/") && host.filter({ $0 == "/" }).count == 1 ? "ends in a slash" : "has a path"
        }
        if host.contains(":") { return "has a port; the system asks 443 only" }
        if host.utf8.contains(where: { $0 >= 0x80 }) { return "has a host that is not in Punycode" }
        if host.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f }) { return "has a blank in it" }
        if host.utf8.contains(where: \.isASCIIUpper) { return "has upper-case letters" }
        let name = host.hasPrefix("*.") ? host.dropFirst(2) : host[...]
        if name.contains("*") { return "has a wildcard that is not *. at the start" }
        let isName = name.utf8.allSatisfy {
            $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x2d || $0 == 0x2e || $0 == 0x5f
        }
        if !isName { return "has a character that no host has" }
        let labels = name.utf8.split(separator: 0x2e, omittingEmptySubsequences: false)
        return labels.contains { $0.isEmpty } ? "has an empty part in its host" : nil
    }

    /// The host of something that has more, in lower case; `nil` when none is to be seen.
    private static func host(_ text: String) -> String? {
        var rest = text[...]
        if let scheme = rest.firstRange(of: "://") { rest = rest[scheme.upperBound...] }
        let host = String(rest.prefix { $0 != "/" && $0 != ":" && $0 != "?" && $0 != "#" }).lowercased()
        return hostFault(host) == nil ? host : nil
    }
}
