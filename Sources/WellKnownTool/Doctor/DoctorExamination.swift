import Foundation
import WellKnown

/// Everything the doctor was given, and the table it makes of it.
struct DoctorExamination {
    var host: DoctorHost
    /// The bodies, and where they come from: a file's name or an address.
    var aasa: (place: String, body: [UInt8])?
    var assetlinks: (place: String, body: [UInt8])?
    var entitlements: AppEntitlements?
    var profile: ProvisioningProfile?
    var manifest: AndroidManifest?
    var certificates: [AndroidDoctor.Certificate] = []
    var app: String?
    var package: String?
    var now: Date

    /// Which systems were asked about: those that anything was given for, both when nothing was.
    private var platforms: Set<DoctorLine.Platform> {
        var platforms: Set<DoctorLine.Platform> = []
        if aasa != nil || entitlements != nil || profile != nil || app != nil { platforms.insert(.ios) }
        if assetlinks != nil || manifest != nil || !certificates.isEmpty || package != nil {
            platforms.insert(.android)
        }
        return platforms.isEmpty ? [.ios, .android] : platforms
    }

    func report() -> DoctorReport {
        var lines: [DoctorLine] = []
        var findings: [Finding] = []
        if platforms.contains(.ios) {
            let file = aasa.flatMap { AASAFile(JSONReader.read($0.body)) }
            if let aasa { lines.append(line(.ios, aasa.place, aasa.body, isReadable: file != nil, root: "an object")) }
            if aasa == nil || file != nil {
                lines += AppleDoctor(
                    host: host, file: file, entitlements: entitlements, profile: profile, app: app, now: now
                ).lines()
            }
        }
        if platforms.contains(.android) {
            let file = assetlinks.flatMap { AssetLinksFile(JSONReader.read($0.body)) }
            if let assetlinks {
                lines.append(
                    line(.android, assetlinks.place, assetlinks.body, isReadable: file != nil, root: "an array"))
            }
            if assetlinks == nil || file != nil {
                lines += AndroidDoctor(
                    host: host, file: file, manifest: manifest, certificates: certificates, package: package
                ).lines()
            }
            if let file, let place = assetlinks?.place {
                findings += Self.named(place, AssetLinksLint.findings(in: file))
            }
        }
        return DoctorReport(host: host.name, lines: lines, findings: findings)
    }

    private func line(
        _ platform: DoctorLine.Platform, _ place: String, _ body: [UInt8], isReadable: Bool, root: String
    ) -> DoctorLine {
        let document = JSONReader.read(body)
        let fault = document.faults.last.map { "\(document.position(at: $0.offset)): \($0.message)" }
        let found = isReadable ? "\(body.count) bytes of JSON" : fault ?? "its root is not \(root)"
        return DoctorLine(
            platform, "the file", .init("domain", host.name), .init(place, found), isReadable ? .agrees : .differs,
            isReadable
                ? nil : "Mend the file first (wellknown lint): nothing else can be compared before it can be read.")
    }

    private static func named(_ place: String, _ findings: [Finding]) -> [Finding] {
        findings.map { finding in
            var finding = finding
            finding.file = place
            return finding
        }
    }
}
