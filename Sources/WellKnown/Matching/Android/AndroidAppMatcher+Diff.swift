extension LinkDiff {
    /// The differences between two versions of an Android app and its host's file, on the newest version of Android.
    ///
    /// The links are examples from both manifests and both files. That the two are equal is certain only if the filters
    /// are equal and the files decide alike. Otherwise the package is in ``notDecided``.
    public static func between(_ old: AndroidAppMatcher, _ new: AndroidAppMatcher) -> LinkDiff {
        var samples = ParitySamples(limit: mostSamples)
        for app in [old, new] {
            for rule in app.links?.dynamicRules(of: app.package)?.rules ?? [] { samples.add(rule) }
            for path in app.filters.flatMap(\.paths) { samples.add(path) }
            for condition in app.filters.flatMap(\.groups).flatMap(\.conditions) { samples.add(condition) }
        }
        let files = old.links.flatMap { before in new.links.map { between(before, $0) } }
        for change in files?.changes ?? [] { samples.add(change.witness) }
        var found: [[String]: Change] = [:]
        for origin in origins(old, new) {
            for address in samples.addresses {
                guard let link = LinkURL(origin + address) else { continue }
                let (before, after) = (old.decide(link), new.decide(link))
                guard before != after else { continue }
                let change = Change(app: new.package, old: before, new: after, witness: link)
                let key = [before.rawValue, after.rawValue]
                if let known = found[key], known.witness.bytes.count <= link.bytes.count { continue }
                found[key] = change
            }
        }
        let isSame = old.filters.map(\.withoutPositions) == new.filters.map(\.withoutPositions)
        let isCertain = isSame && old.package == new.package && (files?.changes.isEmpty ?? true)
        let order = LinkDecision.allCases
        let all = order.flatMap { first in order.compactMap { found[[first.rawValue, $0.rawValue]] } }
        var diff = LinkDiff(
            changes: all.filter(\.isVisible), addedApps: old.package == new.package ? [] : [new.package],
            removedApps: old.package == new.package ? [] : [old.package], notDecided: isCertain ? [] : [new.package])
        diff.unopened = all.filter { !$0.isVisible }
        diff.changedCertificates = files?.changedCertificates.filter { $0 == new.package } ?? []
        return diff
    }

    /// Each example is decided by both apps on all versions, which takes microseconds.
    private static let mostSamples = 3_000

    /// The schemes and hosts of the filters, at most ten. A wildcard becomes a subdomain.
    private static func origins(_ old: AndroidAppMatcher, _ new: AndroidAppMatcher) -> [String] {
        var origins: [String] = []
        for filter in old.filters + new.filters where filter.takesWebLinks {
            for host in filter.hosts where !BuildPlaceholder.isIn(host.name) {
                let name = host.name.hasPrefix("*.") ? "www" + host.name.dropFirst() : host.name
                let authority = name.lowercased() + (host.port.map { ":\($0)" } ?? "")
                origins += ["https", "http"].filter(filter.schemes.contains).map { "\($0)://\(authority)" }
            }
        }
        return Array(origins.uniqued { $0 }.prefix(10))
    }
}

extension LinkDiff.Change {
    /// Whether users see the change. On Android "excluded" and "no match" both open the browser.
    fileprivate var isVisible: Bool {
        let browser: Set<LinkDecision> = [.excluded, .noMatch]
        return !(browser.contains(old) && browser.contains(new))
    }
}

extension IntentFilter {
    /// The filter without the places in its file, for comparison with that of another file.
    fileprivate var withoutPositions: IntentFilter {
        var filter = self
        filter.position = nil
        filter.data = []
        for index in filter.hosts.indices { filter.hosts[index].position = nil }
        for index in filter.paths.indices { filter.paths[index].position = nil }
        for index in filter.groups.indices {
            filter.groups[index].position = nil
            for condition in filter.groups[index].conditions.indices {
                filter.groups[index].conditions[condition].pattern.position = nil
            }
        }
        return filter
    }
}
