import SSOShared
import WellKnown

/// Requests one file of a site in every way that gives information. Each request is independent and has limits.
struct OriginProbe: Sendable {
    let client: WebClient
    let target: FetchTarget

    /// - Parameter path: the requested path. It is the file's standard path unless the user gave a URL.
    func observe(_ kind: AssociationKind, at path: String) async -> OriginObservation {
        let url = target.url(path)
        var seen = await main(kind, at: path)
        let main = seen.main
        switch main {
        case .failure(.noSuchHost), .failure(.privateAddress), .failure(.noRoute), .failure(.impossible),
            .failure(.certificate):
            // Further requests would fail alike. An http response is irrelevant if the certificate is invalid.
            return seen
        case .failure(.tls), .failure(.notConnected):
            seen.plain = await ask(target.url(path, scheme: "http"), as: WebRequest.browser, overHTTP: true)
            return seen
        case .failure, .success: break
        }
        async let browser = ask(url, as: WebRequest.browser, compressed: true)
        async let head = ask(url, as: kind.userAgent, head: true)
        async let four = ask(url, as: kind.userAgent, family: .ipv4)
        async let six = ask(url, as: kind.userAgent, family: .ipv6)
        async let sibling = other(target.sibling, path, kind)
        async let parent = other(target.parent, path, kind)
        async let hops = redirects(main, url, kind)
        seen.browser = await browser
        seen.head = await head
        (seen.overIPv4, seen.overIPv6) = await (four, six)
        (seen.sibling, seen.parent) = await (sibling, parent)
        seen.hops = await hops
        if case .success(let answer) = main, answer.status != 200, path == kind.path {
            await lookElsewhere(for: kind, &seen)
        }
        return seen
    }

    /// The answer to the request that the systems make.
    func main(_ kind: AssociationKind, at path: String) async -> OriginObservation {
        let url = target.url(path)
        let main = await ask(url, as: kind.userAgent)
        // One lost packet, or a server that has to wake up, is not a verdict.
        guard case .failure(.timedOut) = main else { return OriginObservation(file: kind, url: url, main: main) }
        var seen = OriginObservation(file: kind, url: url, main: await ask(url, as: kind.userAgent))
        seen.first = main
        return seen
    }

    /// Asks at the places where the file is put by mistake.
    private func lookElsewhere(for kind: AssociationKind, _ seen: inout OriginObservation) async {
        if kind == .aasa { seen.atRoot = await ask(target.url("/" + kind.fileName), as: kind.userAgent) }
        for path in kind.wrongPaths {
            let outcome = await ask(target.url(path), as: kind.userAgent)
            seen.misnamed.append(OriginObservation.Other(name: path, outcome: outcome))
        }
    }

    private func redirects(_ main: HTTPOutcome, _ url: String, _ kind: AssociationKind) async -> [OriginObservation.Hop]
    {
        guard case .success(let answer) = main, answer.isRedirect else { return [] }
        return await Redirects.hops(from: url, answer) { await ask($0, as: kind.userAgent, overHTTP: true) }
    }

    private func other(_ host: String?, _ path: String, _ kind: AssociationKind) async -> OriginObservation.Other? {
        guard let host else { return nil }
        let port = target.port.map { ":\($0)" } ?? ""
        let outcome = await ask("https://\(host)\(port)\(path)", as: kind.userAgent)
        return OriginObservation.Other(name: host, outcome: outcome)
    }

    private func ask(
        _ url: String, as agent: String, head: Bool = false, family: HTTPClient.Request.AddressFamily = .any,
        compressed: Bool = false, overHTTP: Bool = false
    ) async -> HTTPOutcome {
        var request = WebRequest(url: url)
        request.userAgent = agent
        request.isHead = head
        request.family = family
        request.isCompressed = compressed
        request.allowsHTTP = overHTTP
        return await client.ask(request)
    }
}

/// The steps of a redirect, for the report. The file is not read from its target.
enum Redirects {
    static let most = 5

    /// Follows redirects to report their steps. Each has the first request's limits and cannot use private addresses.
    static func hops(
        from url: String, _ answer: HTTPAnswer, ask: (String) async -> HTTPOutcome
    ) async -> [OriginObservation.Hop] {
        var hops: [OriginObservation.Hop] = []
        var (url, answer) = (url, answer)
        while answer.isRedirect, hops.count < most, let location = answer["location"],
            let next = target(of: location, at: url)
        {
            hops.append(OriginObservation.Hop(from: url, to: next, status: answer.status))
            guard hops.count < most, case .success(let following) = await ask(next) else { break }
            (url, answer) = (next, following)
        }
        return hops
    }

    /// The absolute URL of a Location header, or `nil` if it is not a web URL.
    ///
    /// Source: RFC 9110 section 10.2.2, RFC 3986 section 5.2 as far as servers use it.
    static func target(of location: String, at url: String) -> String? {
        guard location.utf8.count <= 8192, location.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }),
            let scheme = url.firstRange(of: "://")
        else { return nil }
        let lower = location.lowercased()
        if lower.hasPrefix("https://") || lower.hasPrefix("http://") { return location }
        if location.hasPrefix("//") { return url[..<scheme.lowerBound] + ":" + location }
        // The target has another scheme, for example that of an app.
        if let colon = location.firstIndex(of: ":"), !location[..<colon].contains(where: { "/?#".contains($0) }) {
            return nil
        }
        let authority = url[scheme.upperBound...].prefix { !"/?#".contains($0) }
        let origin = url[..<authority.endIndex]
        if location.hasPrefix("/") { return origin + location }
        let path = url[authority.endIndex...].prefix { !"?#".contains($0) }
        if location.hasPrefix("?") { return origin + path + location }
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
        return origin + folder + location
    }
}
