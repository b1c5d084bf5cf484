import Foundation
import WellKnown

@testable import TestKit
@testable import WellKnownTool

/// A site on loopback, and optionally Apple's CDN and Google's service. The program's own code fetches from it.
struct FetchHouse {
    static let aasaPath = "/.well-known/apple-app-site-association"
    static let assetLinksPath = "/.well-known/assetlinks.json"
    static let fingerprint =
        "3B:7E:10:52:9C:41:D0:AA:5F:62:13:E8:94:07:BC:6D:21:F5:38:0E:C9:76:4A:B2:1D:E3:58:90:AF:04:6B:C7"
    static let aasa = """
        {"applinks":{"details":[{"appIDs":["9F3K7QX2LM.com.acme.shop"],"components":[{"/":"/buy/*"}]}]}}

        """
    static let assetLinks = """
        [{"relation":["delegate_permission/common.handle_all_urls","delegate_permission/common.get_login_creds"],\
        "target":{"namespace":"android_app","package_name":"com.acme.shop","sha256_cert_fingerprints":\
        ["\(fingerprint)"]}}]

        """

    /// The time of every fetch: 2026-11-01T12:00:00Z.
    static let now = Date(timeIntervalSince1970: 1_793_534_400)

    /// Both files in a valid form.
    static let healthy: [String: SiteServer.Reply] = [
        aasaPath: SiteServer.Reply(body: aasa), assetLinksPath: SiteServer.Reply(body: assetLinks),
    ]

    enum TLS { case good, untrusted, wrongHost, none }

    let site: SiteServer
    let services: SiteServer?
    let certificateFile: String?

    /// - Parameters:
    ///   - services: routes of Apple's CDN and Google's API. Without routes, the services are not queried.
    static func open(
        _ routes: [String: SiteServer.Reply] = healthy, services: [String: SiteServer.Reply]? = nil,
        tls: TLS = .good
    ) async throws -> FetchHouse {
        let (authority, good, other) = try await TestAuthority.shared.value
        let certificate: TestAuthority.Certificate? =
            switch tls {
            case .good, .untrusted: good
            case .wrongHost: other
            case .none: nil
            }
        var fakes: SiteServer?
        if let services { fakes = try await SiteServer(services, certificate: nil) }
        return FetchHouse(
            site: try await SiteServer(routes, certificate: certificate), services: fakes,
            certificateFile: tls == .untrusted ? nil : authority.file)
    }

    /// - Parameters:
    ///   - address: the URL to fetch. `{port}` is replaced with the site's port.
    ///   - resolve: names that resolve to loopback.
    func fetch(
        _ address: String = "127.0.0.1:{port}", kinds: [AssociationKind] = [.aasa, .assetlinks],
        allowPrivate: Bool = true, limit: Duration = .seconds(30), resolve: [String] = []
    ) async throws -> FetchReport {
        var settings = WebSettings()
        settings.timeLimit = limit
        settings.caFile = certificateFile
        settings.resolve = resolve.map { "\($0):\(site.port):127.0.0.1" }
        settings.allowsPrivate = allowPrivate
        guard let client = WebClient(settings),
            let target = FetchTarget(address.replacingOccurrences(of: "{port}", with: "\(site.port)"))
        else { throw ProbeFailure("no client, or \(address) is no target") }
        let probe = services.map { server in
            ServiceProbe(
                client: client, target: target, appleBase: "http://127.0.0.1:\(server.port)",
                googleBase: "http://127.0.0.1:\(server.port)")
        }
        return await SiteFetcher(client: client, target: target, kinds: kinds, services: probe, now: Self.now).run()
    }
}

extension FetchReport {
    var findings: [Finding] { files.flatMap(\.findings) }
    var isChecked: Bool { files.allSatisfy { $0.isChecked } }
    var codes: Set<String> { Set(findings.map(\.code)) }
    func finding(_ code: String) -> Finding? { findings.first { $0.code == code } }
}
