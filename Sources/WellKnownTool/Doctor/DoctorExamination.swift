import Foundation
import WellKnown

/// The inputs of the doctor, and the report it makes from them.
struct DoctorExamination {
    var host: DomainName
    /// The bodies and their origin: a file name or a URL.
    var aasa: (place: String, body: [UInt8])?
    var assetlinks: (place: String, body: [UInt8])?
    var entitlements: AppEntitlements?
    var profile: ProvisioningProfile?
    var manifest: AndroidManifest?
    var certificates: [AndroidDoctor.Certificate] = []
    var app: String?
    var appPlace = "--app"
    var package: String?
    var packagePlace = "--package"
    var now: Date
    var project: ProjectReading?
    /// The parts of the iOS app's id that a project has.
    private var parts = AppleAppParts()
    /// Why the values of a project are not known.
    private var unread: String?
    /// Whether no server was asked.
    var isOffline = false
    var device: DeviceReport?
    /// What was looked at in a project, one line for each file.
    var notes: [String] = []
    /// The names of the files of the app, for findings.
    var names = DoctorNames()
    /// One line for each file that the server did not deliver.
    var unserved: [DoctorLine] = []
    /// One line for each service of Apple and Google that was asked.
    var answered: [DoctorLine] = []

    init(host: DomainName, app: String? = nil, package: String? = nil, now: Date) {
        (self.host, self.app, self.package, self.now) = (host, app, package, now)
    }

    /// The system that alone is meant, if one was named.
    var only: LinkPlatform?

    /// The systems to check: those for which an input was given, or both systems without any input.
    var platforms: Set<LinkPlatform> {
        if let only { return [only] }
        let isApple =
            aasa != nil || entitlements != nil || profile != nil || app != nil || project?.apple.isEmpty == false
            || device?.apple.isEmpty == false
        let isAndroid =
            assetlinks != nil || manifest != nil || !certificates.isEmpty || package != nil
            || project?.android.isEmpty == false || device?.android.isEmpty == false
        return isApple == isAndroid ? [.ios, .android] : isApple ? [.ios] : [.android]
    }

    func report() -> DoctorReport {
        var results = [PlatformResult(lines: unserved)]
        for platform in LinkPlatform.allCases where platforms.contains(platform) {
            let variants = platform == .ios ? appleVariants : androidVariants
            results.append(.merged(variants.map { ($0.name, $0.examination.result(platform)) }))
        }
        results.append(PlatformResult(lines: answered))
        if let device { results.append(PlatformResult(lines: deviceLines(device))) }
        var names = names
        (names.aasa, names.assetlinks) = (aasa?.place, assetlinks?.place)
        names.entitlements = names.entitlements ?? results.lazy.compactMap(\.names.entitlements).first
        names.manifest = names.manifest ?? results.lazy.compactMap(\.names.manifest).first
        var report = DoctorReport(
            host: host.name, lines: results.flatMap(\.lines), findings: results.flatMap(\.findings), names: names,
            notes: notes + results.flatMap(\.notes))
        report.isOffline = isOffline
        return report
    }

    private func result(_ platform: LinkPlatform) -> PlatformResult {
        var (result, project) = (PlatformResult(names: names), projectLint)
        var lint: LintReport?
        var isReadable = true
        if let given = platform == .ios ? aasa : assetlinks {
            let options = LintOptions(file: given.place, domain: host.name)
            let report = AssociationLint.lint(body: given.body, as: platform.file, options: options)
            isReadable = report.aasa != nil || report.assetLinks != nil
            // Other errors than those that keep the file from being parsed are in the findings.
            let worst = report.findings.first { $0.severity == .error }?.message ?? "it cannot be read"
            result.lines = [
                DoctorLine(
                    platform, DoctorLine.file, .init("domain", host.name),
                    .init(given.place, isReadable ? "readable" : worst), isReadable ? .agrees : .differs,
                    isReadable
                        ? nil
                        : "Correct the file first (wellknown lint): nothing else can be compared before it can be read."
                )
            ]
            lint = report
        }
        if platform == .ios {
            let doctor = AppleDoctor(
                host: host, file: lint?.aasa, entitlements: entitlements, profile: profile, app: app,
                appPlace: appPlace, parts: parts, unread: unread, now: now)
            result.lines += isReadable ? doctor.lines() : []
            (project.assetLinks, project.filters) = (nil, nil)
        } else {
            let doctor = AndroidDoctor(
                host: host, file: lint?.assetLinks, manifest: manifest, certificates: certificates, package: package,
                packagePlace: packagePlace, unread: unread)
            result.lines += isReadable ? doctor.lines() : []
            (project.aasa, project.domains) = (nil, nil)
        }
        result.findings = (lint?.findings ?? []) + project.findings
        return result
    }

    private func deviceLines(_ device: DeviceReport) -> [DoctorLine] {
        var doctor = DeviceDoctor(host: host, report: device)
        doctor.app = app ?? entitlements?.applicationIdentifier
        doctor.package = package ?? manifest?.package
        if let file = assetlinks.flatMap({ AssetLinksFile(reading: $0.body) }) {
            let links = AndroidMatcher(file)
            let only = links.apps.count == 1 ? links.apps[0] : nil
            doctor.listed = (doctor.package ?? only).flatMap { links.fingerprints[$0]?.sorted() } ?? []
        }
        return doctor.lines()
    }

    /// The same comparisons as findings with stable codes, for build servers.
    private var projectLint: ProjectLint {
        var lint = ProjectLint(host: host.name)
        lint.aasa = aasa.flatMap { AASAFile(reading: $0.body) }
        lint.assetLinks = assetlinks.flatMap { AssetLinksFile(reading: $0.body) }
        let ids = [app, entitlements?.applicationIdentifier, profile?.entitlements.applicationIdentifier]
        // A profile for many apps does not name a single app.
        lint.appleAppID = ids.compactMap(\.self).first { !$0.hasSuffix("*") }
        lint.domains = entitlements.map { $0.associatedDomains ?? [] }
        lint.isRelease = (profile?.entitlements.isDebuggable ?? entitlements?.isDebuggable).map { !$0 }
        lint.package = package ?? manifest?.package
        lint.filters = manifest?.filters
        if let aasa { lint.aasaName = aasa.place }
        if let assetlinks { lint.assetLinksName = assetlinks.place }
        if let name = names.entitlements { lint.entitlementsName = name }
        if let name = names.manifest { lint.manifestName = name }
        return lint
    }
}

extension DoctorExamination {
    /// One examination for each app of Apple's systems that the project may build.
    private var appleVariants: [(name: String, examination: DoctorExamination)] {
        let all = project?.apple ?? []
        let named = app.map { app in all.filter { !$0.id.isUnknown && $0.id.mayBe(app) } } ?? []
        let candidates = named.isEmpty ? all : named
        guard entitlements == nil, !candidates.isEmpty else {
            var one = self
            // With given entitlements, the project adds the id if it has one app.
            if candidates.count == 1 { one.take(candidates[0].id) }
            return [("", one)]
        }
        return candidates.map { candidate in
            var one = self
            (one.entitlements, one.names.entitlements) = (candidate.entitlements, candidate.file)
            one.unread = candidate.unread
            one.take(candidate.id)
            return (candidate.name, one)
        }
    }

    private mutating func take(_ id: AppleAppParts) {
        parts = id
        if app == nil, let id = id.id { (app, appPlace) = (id, "project") }
    }

    private var androidVariants: [(name: String, examination: DoctorExamination)] {
        let all = project?.android ?? []
        let named = package.map { package in all.filter { $0.manifest?.package == package } } ?? []
        let candidates = named.isEmpty ? all : named
        guard manifest == nil, !candidates.isEmpty else { return [("", self)] }
        return candidates.map { candidate in
            var one = self
            (one.manifest, one.names.manifest) = (candidate.manifest, candidate.file)
            one.unread = candidate.unread
            return (candidate.name, one)
        }
    }

    /// Takes what a device says about the app: its package and certificates.
    mutating func take(_ report: DeviceReport) {
        device = report
        let ids = Set(
            report.apple.filter { $0["Service"] == "applinks" && host.isMeant(by: $0["Domain"] ?? "") }.compactMap {
                $0["App ID"]
            })
        if app == nil, entitlements == nil, project?.apple.isEmpty ?? true, ids.count == 1, let id = ids.first {
            (app, appPlace) = (id, "device report")
        }
        var all = report.android.filter { app in app.states.contains { host.isMeant(by: $0.host) } }
        // The one app of the report is meant, also without the host. Of several, the one that the file names.
        if report.android.count == 1 { all = report.android }
        let named = assetlinks.flatMap { AssetLinksFile(reading: $0.body) }.map { Set(AndroidMatcher($0).apps) } ?? []
        let fitting = all.filter { named.contains($0.package) }
        if fitting.count == 1 { all = fitting }
        if package == nil, manifest?.package == nil, project?.android.isEmpty ?? true, all.count == 1 {
            (package, packagePlace) = (all[0].package, "device report")
        }
        let known = package ?? manifest?.package
        guard certificates.isEmpty,
            let app = all.first(where: { $0.package == known }) ?? (all.count == 1 ? all[0] : nil)
        else { return }
        certificates = app.signatures.compactMap { text in
            CertificateFingerprint(text).map {
                AndroidDoctor.Certificate(fingerprint: $0, place: "device report", file: "device report")
            }
        }
    }
}
