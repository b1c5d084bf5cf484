import WellKnown

/// Where a redirect leads, without believing that anybody follows it.
enum Redirects {
    static let most = 5

    /// Goes on from an answer that redirects. Each step is asked like the first, private addresses refused.
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

    /// The full address that a Location header names; `nil` for one that is no web address.
    ///
    /// Source: RFC 9110 section 10.2.2, RFC 3986 section 5.2 as far as servers use it.
    static func target(of location: String, at url: String) -> String? {
        guard location.utf8.count <= 8192, location.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }),
            let scheme = url.firstRange(of: "://")
        else { return nil }
        let lower = location.lowercased()
        if lower.hasPrefix("https://") || lower.hasPrefix("http://") { return location }
        if location.hasPrefix("//") { return url[..<scheme.lowerBound] + ":" + location }
        // Another scheme: an app's, or a trap.
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
