import SSOShared

/// The associated domains of the app.
extension AppleDoctor {
    private static let subject = "the associated domain"

    var entitlementLines: [DoctorLine] {
        let wanted = DoctorLine.Side("domain", "applinks:\(host.name)")
        guard let entitlements else {
            return [
                DoctorLine(
                    .ios, Self.subject, wanted, .init("entitlements", "not given"), .notChecked,
                    "Give the app's entitlements with --entitlements FILE; of a built app: codesign -d --entitlements - "
                        + "--xml App.app")
            ]
        }
        guard let domains = entitlements.associatedDomains else {
            return [
                DoctorLine(
                    .ios, Self.subject, wanted, .init("entitlements", "no associated domains at all"), .differs,
                    "Add \(AppEntitlements.associatedDomainsKey) with applinks:\(host.name): in Xcode under Signing & "
                        + "Capabilities.")
            ]
        }
        if entitlements.hasLoneDomain {
            return [
                DoctorLine(
                    .ios, Self.subject, wanted, .init("entitlements", "one text: \(Self.list(domains.map(\.raw)))"),
                    .differs,
                    "\(AppEntitlements.associatedDomainsKey) must be an array of strings, for one domain, too.")
            ]
        }
        let links = domains.filter { $0.service == "applinks" }
        let exact = links.first { $0.host.lowercased() == host.name }
        guard let match = exact ?? links.first(where: { host.isMeant(by: $0.host) }) else {
            return [missing(wanted, domains)]
        }
        return [found(match, wanted)] + modeLine(match)
    }

    private func found(_ domain: AssociatedDomain, _ wanted: DoctorLine.Side) -> DoctorLine {
        let side = DoctorLine.Side("entitlements", domain.raw)
        if domain.host != domain.host.lowercased() {
            return DoctorLine(
                .ios, Self.subject, wanted, side, .caution, "Write the host in lower case: applinks:\(host.name).")
        }
        if domain.host.hasPrefix("*.") {
            return DoctorLine(
                .ios, Self.subject, wanted, side, .caution,
                "For a wildcard the system also reads the file of \(domain.host.dropFirst(2)); check that host, too.")
        }
        return DoctorLine(.ios, Self.subject, wanted, side, .agrees)
    }

    /// What is there instead, and what its writer had in mind.
    private func missing(_ wanted: DoctorLine.Side, _ domains: [AssociatedDomain]) -> DoctorLine {
        let side = DoctorLine.Side("entitlements", Self.list(domains.map(\.raw)))
        let fix = "Add applinks:\(host.name)."
        func line(_ advice: String) -> DoctorLine { DoctorLine(.ios, Self.subject, wanted, side, .differs, advice) }

        if let apex = domains.first(where: { $0.service == "applinks" && $0.host.lowercased() == "*.\(host.name)" }) {
            return line("\(apex.raw) means the subdomains only, not \(host.name) itself. \(fix)")
        }
        if let written = domains.first(where: { $0.raw.lowercased().contains(host.name) && isMisspelt($0) }) {
            return line("\(written.raw) is no `service:host`: no scheme, port, path or blank may stand there. \(fix)")
        }
        let www = host.name.hasPrefix("www.") ? String(host.name.dropFirst(4)) : "www.\(host.name)"
        if let near = domains.first(where: { $0.service == "applinks" && $0.host.lowercased() == www }) {
            return line("\(near.raw) is another host: each needs its own value and its own file. \(fix)")
        }
        if let other = domains.first(where: { host.isMeant(by: $0.host) }) {
            return line("\(other.raw) is another service. \(fix)")
        }
        return line(fix)
    }

    /// `applinks:https://example.com/`, `applinks:example.com:443`, `applinks: example.com`, `example.com`.
    private func isMisspelt(_ domain: AssociatedDomain) -> Bool {
        !AASAFile.services.contains(domain.service) || domain.host.utf8.contains { !$0.isHostByte }
    }

    private func modeLine(_ domain: AssociatedDomain) -> [DoctorLine] {
        guard let mode = domain.mode else { return [] }
        let isDevelopment = profile?.entitlements.isDebuggable ?? entitlements?.isDebuggable
        let left = DoctorLine.Side("entitlements", domain.raw)
        let subject = "the mode of the domain"
        switch isDevelopment {
        case true?:
            return [DoctorLine(.ios, subject, left, .init("profile", "development"), .agrees)]
        case false?:
            let isManaged = mode == "managed"
            return [
                DoctorLine(
                    .ios, subject, left, .init("profile", "distribution"), isManaged ? .caution : .differs,
                    isManaged
                        ? "It counts on managed devices only."
                        : "mode=\(mode) is for development: take it out before the app goes to the store.")
            ]
        case nil:
            return [
                DoctorLine(
                    .ios, subject, left, .init("profile", "not given"), .caution,
                    "A mode must be gone before the app goes to the store.")
            ]
        }
    }
}

extension UInt8 {
    fileprivate var isHostByte: Bool {
        isASCIILetter || isASCIIDigit || self == UInt8(ascii: ".") || self == UInt8(ascii: "-")
            || self == UInt8(ascii: "*")
    }
}
