import Foundation
import SSOShared
import WellKnown

extension AppleDoctor {
    var profileLines: [DoctorLine] {
        guard let profile else {
            let line = DoctorLine(
                .ios, "the capability", .init("entitlements", Self.domains(entitlements)),
                .init("profile", "not given"), .notChecked,
                "Give the profile with --profile FILE: embedded.mobileprovision inside the built app.")
            return [line]
        }
        return [capabilityLine(profile), identifierLine(profile), teamLine(profile), endLine(profile)].compactMap(
            \.self)
    }

    private func capabilityLine(_ profile: ProvisioningProfile) -> DoctorLine {
        let subject = "the capability"
        let left = DoctorLine.Side("entitlements", Self.domains(entitlements))
        guard let allowed = profile.entitlements.associatedDomains else {
            let bundle = identity?.id.split(separator: ".", maxSplits: 1).last.map(String.init) ?? "ID"
            return DoctorLine(
                .ios, subject, left, .init("profile", "no associated domains"), .differs,
                "Enable the capability (wellknown capability enable --bundle-id \(bundle) …), then create the profile again "
                    + "and sign with that one.")
        }
        let right = DoctorLine.Side("profile", Self.list(allowed.map(\.raw)))
        // Apple writes an asterisk, which allows any domain. Tools that sign apps again write a list.
        let isAllowed = allowed.contains { $0.raw == "*" || ($0.service == "applinks" && host.isMeant(by: $0.host)) }
        guard isAllowed else {
            return DoctorLine(
                .ios, subject, left, right, .differs,
                "The profile allows other domains only: create it again, or sign with the one from Apple.")
        }
        return DoctorLine(.ios, subject, left, right, entitlements == nil ? .notChecked : .agrees)
    }

    private func identifierLine(_ profile: ProvisioningProfile) -> DoctorLine {
        let subject = "the profile's app"
        guard let allowed = profile.entitlements.applicationIdentifier else {
            return DoctorLine(
                .ios, subject, .init("profile", "no application-identifier"), .init("app", identity?.id ?? "unknown"),
                .differs, "The profile is damaged: download it again.")
        }
        let left = DoctorLine.Side("profile", allowed)
        if allowed.hasSuffix("*") {
            return DoctorLine(
                .ios, subject, left, .init("app", identity?.id ?? "unknown"), .differs,
                "A wildcard App ID cannot have associated domains: register an explicit one, and make a profile for it."
            )
        }
        guard let identity, identity.place != "profile" else {
            return DoctorLine(
                .ios, subject, left, .init("app", "unknown"), .notChecked,
                "Give --app PREFIX.bundle.id or the entitlements of a signed build to compare.")
        }
        let isSame = allowed.utf8.elementsEqual(identity.id.utf8)
        return DoctorLine(
            .ios, subject, left, .init(identity.place, identity.id), isSame ? .agrees : .differs,
            isSame ? nil : "The build is signed with the profile of another app: choose the one for \(identity.id).")
    }

    private func teamLine(_ profile: ProvisioningProfile) -> DoctorLine? {
        guard let team = entitlements?.teamIdentifier, !profile.teamIdentifiers.isEmpty else { return nil }
        let isSame = profile.teamIdentifiers.contains(team)
        return DoctorLine(
            .ios, "the team", .init("entitlements", team), .init("profile", Self.list(profile.teamIdentifiers)),
            isSame ? .agrees : .differs, isSame ? nil : "Sign with a profile of the team \(team).")
    }

    private func endLine(_ profile: ProvisioningProfile) -> DoctorLine? {
        guard let expires = profile.expires else { return nil }
        let left = DoctorLine.Side("profile", "ends \(expires.day)")
        let right = DoctorLine.Side("today", now.day)
        let subject = "the profile's end"
        if expires <= now {
            return DoctorLine(
                .ios, subject, left, right, .differs,
                "The profile has ended: create it again. Builds signed with it no longer install.")
        }
        /// A month is roughly the time until all users have a new build.
        let month: TimeInterval = 30 * 86_400
        let isNear = expires.timeIntervalSince(now) < month
        return DoctorLine(
            .ios, subject, left, right, isNear ? .caution : .agrees, isNear ? "Create it again in time." : nil)
    }

    private static func domains(_ entitlements: AppEntitlements?) -> String {
        guard let entitlements else { return "not given" }
        return entitlements.associatedDomains.map { list($0.map(\.raw)) } ?? "no associated domains"
    }
}

/// An id of which a project has a part.
extension AppleDoctor {
    /// The part of the id that is known, compared with the file.
    func partLine(_ listed: DoctorLine.Side) -> DoctorLine {
        let side = DoctorLine.Side("project", parts.words)
        let missing = parts.prefix == nil ? "team" : "bundle id"
        guard file != nil else {
            return DoctorLine(
                .ios, "the app's id", side, .init("apple-app-site-association", "not given"), .notChecked,
                "Give the domain's file with --aasa FILE.")
        }
        if listedApps.contains(where: parts.mayBe) {
            return DoctorLine(
                .ios, "the app's id", side, listed, .notChecked,
                "The \(parts.prefix == nil ? "bundle id" : "team") agrees. The project does not name the \(missing): give --app "
                    + "PREFIX.bundle.id.")
        }
        return DoctorLine(
            .ios, "the app's id", side, listed, .differs,
            "Whatever the \(missing) is, the file has no such app: add \(parts.prefix ?? "PREFIX").\(parts.bundle ?? "bundle.id") "
                + "to the appIDs of an entry of applinks.details.")
    }
}
