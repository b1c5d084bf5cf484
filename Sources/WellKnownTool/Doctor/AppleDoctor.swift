import Foundation
import SSOShared
import WellKnown

/// Compares the three places that must agree before a universal link opens an app: the file on the server, the
/// entitlement in the app, and the capability in the provisioning profile.
///
/// Sources: Apple, "Supporting associated domains", "Associated Domains Entitlement", TN3155 "Debugging universal
/// links", TN3125 "Inside Code Signing: Provisioning Profiles".
struct AppleDoctor: Sendable {
    var host: DomainName
    /// The file of exactly this host. `nil` if it was not given or could not be parsed.
    var file: AASAFile?
    var entitlements: AppEntitlements?
    var profile: ProvisioningProfile?
    /// `PREFIX.bundle.id`, if it was given on the command line.
    var app: String?
    var appPlace = "--app"
    /// The parts of the app's id that a project has.
    var parts = AppleAppParts()
    /// Why the values of the project are not known.
    var unread: String?
    /// The time with which the profile's expiry date is compared.
    var now: Date

    /// The lines of the table in a fixed order: the app's id, the file, the app, the profile.
    func lines() -> [DoctorLine] { [appLine] + fileLines + entitlementLines + profileLines }

    // MARK: The app's id

    /// The app's id and its origin. The most reliable origin comes first.
    var identity: (id: String, place: String)? {
        if let app { return (app, appPlace) }
        if let id = entitlements?.applicationIdentifier, !id.hasSuffix("*") { return (id, "entitlements") }
        if let id = profile?.entitlements.applicationIdentifier, !id.hasSuffix("*") { return (id, "profile") }
        guard parts.isUnknown else { return nil }
        let listed = Set(listedApps)
        return listed.count == 1 ? listed.first.map { ($0, "file") } : nil
    }

    var listedApps: [String] { file?.apps(of: "applinks") ?? [] }

    private var appLine: DoctorLine {
        let listed = DoctorLine.Side("apple-app-site-association", Self.list(listedApps))
        guard let identity else {
            if !parts.isUnknown { return partLine(listed) }
            return DoctorLine(
                .ios, "the app's id", .init("app", "unknown"), listed, .notChecked,
                unread.map { "\($0)." }
                    ?? "Give --app PREFIX.bundle.id, or the entitlements of a signed build, or a profile for this one app."
            )
        }
        let side = DoctorLine.Side(identity.place, identity.id)
        func line(_ verdict: DoctorLine.Verdict, _ advice: String? = nil) -> DoctorLine {
            let found = file == nil ? DoctorLine.Side(listed.place, "not given") : listed
            return DoctorLine(.ios, "the app's id", side, found, verdict, advice)
        }
        guard file != nil else { return line(.notChecked, "Give the domain's file with --aasa FILE.") }
        if identity.place == "file" {
            return line(
                .notChecked,
                "The file names one app. Give your app's id with --app PREFIX.bundle.id, and it is compared.")
        }
        let isListed = listedApps.contains { $0.utf8.elementsEqual(identity.id.utf8) }
        return isListed ? line(.agrees) : line(.differs, missingAdvice(identity.id))
    }

    private func missingAdvice(_ id: String) -> String {
        let bundle = id.split(separator: ".", maxSplits: 1).last.map(String.init) ?? ""
        let other = listedApps.first { $0.split(separator: ".", maxSplits: 1).last.map(String.init) == bundle }
        if let other, !bundle.isEmpty {
            return "The file has the same bundle id with another Team ID (\(other)). It must be that of the "
                + "application identifier, which in old accounts is not the team id: write \(id)."
        }
        if let other = listedApps.first(where: { $0.lowercased() == id.lowercased() }) {
            return "The file writes \(other): letter case counts. Write \(id)."
        }
        return "Add \(id) to the appIDs of an entry of applinks.details."
    }

    // MARK: The file and the entitlement

    private var fileLines: [DoctorLine] {
        guard let entitlements else { return [] }
        return AASAFile.services.dropFirst().compactMap { serviceLine($0, entitlements) }
    }

    /// Compares the other services: each one must be in both the entitlement and the file.
    private func serviceLine(_ service: String, _ entitlements: AppEntitlements) -> DoctorLine? {
        guard let file, let identity else { return nil }
        let listed = file.apps(of: service)
        let isListed = listed.contains { $0.utf8.elementsEqual(identity.id.utf8) }
        let asked = entitlements.associatedDomains?.first { $0.service == service && host.isMeant(by: $0.host) }
        func line(_ domain: AssociatedDomain?, _ verdict: DoctorLine.Verdict, _ advice: String? = nil) -> DoctorLine {
            DoctorLine(
                .ios, "the service \(service)", .init("apple-app-site-association", Self.list(listed)),
                .init("entitlements", domain?.raw ?? "no \(service) for \(host.name)", at: domain?.position), verdict,
                advice)
        }
        if asked == nil, let unfilled = unfilled(service, entitlements) {
            return isListed ? line(unfilled, .notChecked, Self.placeholderAdvice(unfilled.raw)) : nil
        }
        switch (isListed, asked != nil) {
        case (false, false): return nil
        case (true, true): return line(asked, .agrees)
        case (true, false):
            // An App Clip has its own entitlements. The app's entitlements do not apply to it.
            guard service != "appclips" else { return nil }
            return line(
                nil, .differs,
                "Add \(service):\(host.name) to the associated domains of the app, or take the app out of the file.")
        case (false, true): return line(asked, .differs, "Add \(identity.id) to \(service).apps of the file.")
        }
    }

    static func list(_ values: [String]) -> String { values.isEmpty ? "none" : values.listed() }
}

extension AppleDoctor {
    private static let subject = "the associated domain"

    var entitlementLines: [DoctorLine] {
        let wanted = DoctorLine.Side("domain", "applinks:\(host.name)")
        func line(_ found: String, _ verdict: DoctorLine.Verdict, _ advice: String, at position: SourcePosition? = nil)
            -> [DoctorLine]
        {
            [DoctorLine(.ios, Self.subject, wanted, .init("entitlements", found, at: position), verdict, advice)]
        }
        guard let entitlements else {
            return line(
                "not given", .notChecked,
                unread.map { "\($0)." }
                    ?? "Give the app's entitlements with --entitlements FILE; of a built app: codesign -d "
                    + "--entitlements - --xml App.app")
        }
        guard let domains = entitlements.associatedDomains else {
            return line(
                "no associated domains at all", .differs,
                "Add \(AppEntitlements.associatedDomainsKey) with applinks:\(host.name): in Xcode under Signing & "
                    + "Capabilities.")
        }
        if entitlements.hasLoneDomain {
            return line(
                "one text: \(Self.list(domains.map(\.raw)))", .differs,
                "\(AppEntitlements.associatedDomainsKey) must be an array of strings, for one domain, too.")
        }
        if let unfilled = unfilled("applinks", entitlements),
            !domains.contains(where: { $0.service == "applinks" && host.isMeant(by: $0.host) })
        {
            return line(unfilled.raw, .notChecked, Self.placeholderAdvice(unfilled.raw), at: unfilled.position)
        }
        let links = domains.filter { $0.service == "applinks" }
        let exact = links.first { $0.host.lowercased() == host.name }
        guard let match = exact ?? links.first(where: { host.isMeant(by: $0.host) }) else {
            return [missing(wanted, domains)]
        }
        return [found(match, wanted), modeLine(match)].compactMap(\.self)
    }

    /// A value of the service that the build still has to fill in.
    private func unfilled(_ service: String, _ entitlements: AppEntitlements) -> AssociatedDomain? {
        entitlements.associatedDomains?.first { $0.isUnfilled && $0.mayBe(service) }
    }

    static func placeholderAdvice(_ text: String) -> String {
        "The build fills \(text) in: give its value with --define NAME=VALUE, or the file of a finished build."
    }

    private func found(_ domain: AssociatedDomain, _ wanted: DoctorLine.Side) -> DoctorLine {
        let side = DoctorLine.Side("entitlements", domain.raw, at: domain.position)
        let advice =
            domain.host != domain.host.lowercased()
            ? "Write the host in lower case: applinks:\(host.name)."
            : domain.host.hasPrefix("*.")
                ? "For a wildcard the system also reads the file of \(domain.host.dropFirst(2)); check that host, too."
                : nil
        return DoctorLine(.ios, Self.subject, wanted, side, advice == nil ? .agrees : .caution, advice)
    }

    /// The line for a missing domain. It shows the present values and guesses what the author meant.
    private func missing(_ wanted: DoctorLine.Side, _ domains: [AssociatedDomain]) -> DoctorLine {
        let side = DoctorLine.Side("entitlements", Self.list(domains.map(\.raw)), at: domains.first?.position)
        let fix = "Add applinks:\(host.name)."
        func line(_ advice: String) -> DoctorLine { DoctorLine(.ios, Self.subject, wanted, side, .differs, advice) }

        if let apex = domains.first(where: { $0.service == "applinks" && $0.host.lowercased() == "*.\(host.name)" }) {
            return line("\(apex.raw) means the subdomains only, not \(host.name) itself. \(fix)")
        }
        if let written = domains.first(where: { $0.raw.lowercased().contains(host.name) && isMisspelt($0) }) {
            return line("\(written.raw) is not service:host, with no scheme, port, path or blank. \(fix)")
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

    /// Whether the value is a misspelling such as `applinks:https://example.com/`, `applinks:example.com:443`,
    /// `applinks: example.com` or `example.com`.
    private func isMisspelt(_ domain: AssociatedDomain) -> Bool {
        !AASAFile.services.contains(domain.service) || domain.host.utf8.contains { !$0.isHostByte }
    }

    private func modeLine(_ domain: AssociatedDomain) -> DoctorLine? {
        guard let mode = domain.mode else { return nil }
        func line(_ build: String, _ verdict: DoctorLine.Verdict, _ advice: String?) -> DoctorLine {
            let left = DoctorLine.Side("entitlements", domain.raw, at: domain.position)
            return DoctorLine(.ios, "the mode of the domain", left, .init("profile", build), verdict, advice)
        }
        guard let isDevelopment = profile?.entitlements.isDebuggable ?? entitlements?.isDebuggable else {
            return line("not given", .caution, "A mode must be gone before the app goes to the store.")
        }
        guard !isDevelopment else { return line("development", .agrees, nil) }
        if mode == "managed" { return line("distribution", .caution, "It counts on managed devices only.") }
        return line(
            "distribution", .differs, "mode=\(mode) is for development: take it out before the app goes to the store.")
    }
}

extension UInt8 {
    fileprivate var isHostByte: Bool {
        isASCIILetter || isASCIIDigit || self == UInt8(ascii: ".") || self == UInt8(ascii: "-")
            || self == UInt8(ascii: "*")
    }
}
