public import Foundation

/// Compares the three places that must agree before a universal link opens an app: the file on the server, the
/// entitlement in the app, the capability in the provisioning profile.
///
/// Sources: Apple, "Supporting associated domains", "Associated Domains Entitlement", TN3155 "Debugging universal
/// links", TN3125 "Inside Code Signing: Provisioning Profiles".
public struct AppleDoctor: Sendable {
    public var host: DoctorHost
    /// The file of that very host; `nil` when it was not given or could not be read.
    public var file: AASAFile?
    public var entitlements: AppEntitlements?
    public var profile: ProvisioningProfile?
    /// `PREFIX.bundle.id`, when somebody said so.
    public var app: String?
    /// Against which the profile's end is held.
    public var now: Date

    public init(
        host: DoctorHost, file: AASAFile? = nil, entitlements: AppEntitlements? = nil,
        profile: ProvisioningProfile? = nil, app: String? = nil, now: Date
    ) {
        self.host = host
        self.file = file
        self.entitlements = entitlements
        self.profile = profile
        self.app = app
        self.now = now
    }

    /// The table, in the order in which people look: who the app is, the file, the app, the profile.
    public func lines() -> [DoctorLine] {
        [appLine] + fileLines + entitlementLines + profileLines
    }

    // MARK: who the app is

    /// The app's id and where it was taken from, the surest place first.
    var identity: (id: String, place: String)? {
        if let app { return (app, "--app") }
        if let id = entitlements?.applicationIdentifier, !id.hasSuffix("*") { return (id, "entitlements") }
        if let id = profile?.entitlements.applicationIdentifier, !id.hasSuffix("*") { return (id, "profile") }
        let listed = Set(file?.applinks.value?.entries.flatMap(\.apps) ?? [])
        return listed.count == 1 ? listed.first.map { ($0, "file") } : nil
    }

    private var listedApps: [String] { file?.applinks.value?.entries.flatMap(\.apps) ?? [] }

    private var appLine: DoctorLine {
        let listed = DoctorLine.Side("apple-app-site-association", Self.list(listedApps))
        guard let identity else {
            return DoctorLine(
                .ios, "the app's id", .init("app", "unknown"), listed, .notChecked,
                "Give --app PREFIX.bundle.id, or the entitlements of a signed build, or a profile for this one app.")
        }
        let side = DoctorLine.Side(identity.place, identity.id)
        guard file != nil else {
            return DoctorLine(
                .ios, "the app's id", side, .init("apple-app-site-association", "not given"), .notChecked,
                "Give the domain's file with --aasa FILE.")
        }
        if identity.place == "file" {
            return DoctorLine(
                .ios, "the app's id", side, listed, .notChecked,
                "The file names one app only, which is taken for yours: give --app to be sure.")
        }
        if listedApps.contains(where: { $0.utf8.elementsEqual(identity.id.utf8) }) {
            return DoctorLine(.ios, "the app's id", side, listed, .agrees)
        }
        return DoctorLine(.ios, "the app's id", side, listed, .differs, missingAdvice(identity.id))
    }

    private func missingAdvice(_ id: String) -> String {
        let bundle = id.split(separator: ".", maxSplits: 1).last.map(String.init) ?? ""
        let other = listedApps.first { $0.split(separator: ".", maxSplits: 1).last.map(String.init) == bundle }
        if let other, !bundle.isEmpty {
            return "The file has the same bundle id with another prefix (\(other)). The prefix must be that of the "
                + "application identifier, which in old accounts is not the team id: write \(id)."
        }
        if let other = listedApps.first(where: { $0.lowercased() == id.lowercased() }) {
            return "The file writes \(other): letter case counts. Write \(id)."
        }
        return "Add \(id) to the appIDs of an entry of applinks.details."
    }

    // MARK: the file and the entitlement

    private var fileLines: [DoctorLine] {
        guard let entitlements else { return [] }
        return AASAFile.services.dropFirst().compactMap { serviceLine($0, entitlements) }
    }

    /// The other services: those the entitlement asks for must be in the file, and the other way round.
    private func serviceLine(_ service: String, _ entitlements: AppEntitlements) -> DoctorLine? {
        guard let file, let identity else { return nil }
        let listed = apps(of: service, in: file)
        let isListed = listed.contains { $0.utf8.elementsEqual(identity.id.utf8) }
        let asked = entitlements.associatedDomains?.first { $0.service == service && host.isMeant(by: $0.host) }
        let sides = (
            DoctorLine.Side("apple-app-site-association", Self.list(listed)),
            DoctorLine.Side("entitlements", asked?.raw ?? "no \(service) for \(host.name)")
        )
        let subject = "the service \(service)"
        switch (isListed, asked != nil) {
        case (false, false): return nil
        case (true, true): return DoctorLine(.ios, subject, sides.0, sides.1, .agrees)
        case (true, false):
            // An App Clip has entitlements of its own: those of the app say nothing about it.
            guard service != "appclips" else { return nil }
            return DoctorLine(
                .ios, subject, sides.0, sides.1, .differs,
                "Add \(service):\(host.name) to the associated domains of the app, or take the app out of the file.")
        case (false, true):
            return DoctorLine(
                .ios, subject, sides.0, sides.1, .differs, "Add \(identity.id) to \(service).apps of the file.")
        }
    }

    private func apps(of service: String, in file: AASAFile) -> [String] {
        let field =
            switch service {
            case "webcredentials": file.webcredentials
            case "appclips": file.appclips
            case "activitycontinuation": file.activitycontinuation
            default: file.authsrv
            }
        return field.value?.appIDs ?? []
    }

    static func list(_ values: [String]) -> String {
        guard !values.isEmpty else { return "none" }
        let shown = values.prefix(3).joined(separator: ", ")
        return values.count > 3 ? "\(shown) and \(values.count - 3) more" : shown
    }
}
