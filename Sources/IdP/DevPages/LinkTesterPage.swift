import HTTPTypes
import Hummingbird
import IdPApps
import IdPFlow
import SSOShared
import SSOWeb
import WellKnown

/// The page of the link tester: the form, the decisions for a link, links to try, and the findings of both files.
struct LinkTesterPage: Sendable {
    let pages: Pages
    let origin: PublicOrigin
    /// The path of the page itself.
    let path: String

    struct Model: Encodable, Sendable {
        let path, typed, example, cause, link, codeHTML: String
        let hasError, hasCode, hasSamples: Bool
        let platforms: [LinkTesterPlatform]
        let samples: [Sample]
        let files: [LinkTesterFile]
    }

    struct Sample: Encodable, Sendable {
        let href, tester: String
    }

    func response(_ request: Request, _ typed: String, files: AssociationFiles) -> Response {
        let texts = pages.texts(for: request)
        let reports = AssociationKind.allCases.map {
            LinkTesterReport(kind: $0, content: files[$0]?.content, texts: texts)
        }
        var cause = ""
        var link: LinkURL?
        if !typed.isEmpty {
            do throws(LinkURL.ParseError) { link = try LinkURL(reading: typed) } catch {
                cause = error.rawValue
            }
        }
        let label = texts.plain(Text("link-tester.qr-code"))
        let code = link.flatMap { QRCode($0.description) }.map { $0.svg(label: label) } ?? ""
        let samples = LinkTesterSamples.links(reports.first { $0.kind == .aasa }?.apple, at: origin.text)
        let model = Model(
            path: path, typed: typed, example: "\(origin.text)/auth/sso/authorize", cause: cause,
            link: link?.description ?? "", codeHTML: code, hasError: !cause.isEmpty, hasCode: !code.isEmpty,
            hasSamples: !samples.isEmpty,
            platforms: link.map { link in reports.map { $0.platform(link) } } ?? [],
            samples: samples.map { Sample(href: $0, tester: path + "?url=" + PercentCoding.encode($0)) },
            files: reports.map(\.file))
        return pages.response(
            "link-tester", model, for: request, status: cause.isEmpty ? .ok : .unprocessableContent,
            offersLanguages: true)
    }
}

/// URLs that open an app by a rule of Apple's file, at most one per rule. Generated from the rules and checked by the matcher.
enum LinkTesterSamples {
    static func links(_ matcher: AppleMatcher?, at origin: String) -> [String] {
        guard let matcher else { return [] }
        var links: [String] = []
        for app in matcher.apps.prefix(10) {
            for rule in RuleCoverage.rules(of: app, matcher) where !rule.isExclude {
                // The sample URL has an example host. Only the parts after it are used.
                guard case .decides(let witness) = rule.verdict else { continue }
                let query = witness.query.map { "?\($0)" } ?? ""
                let fragment = witness.fragment.map { "#\($0)" } ?? ""
                let link = origin + witness.path + query + fragment
                if !links.contains(link) { links.append(link) }
                if links.count == 20 { return links }
            }
        }
        return links
    }
}

/// `/dev/WORD/links`: shows which app opens a link, by which rule, to this machine only.
struct LinkTesterRoutes: Sendable {
    let files: AssociationFiles
    let dev: DevPages
    let page: LinkTesterPage

    func addRoutes(to router: inout FeatureRouter) {
        router.publicPage(at: DevPages.route(of: .links)) { [self] request, context in
            try dev.check(request, context)
            let typed = request.uri.queryParameters["url"].map(String.init) ?? ""
            return page.response(request, typed, files: files)
        }
    }
}
