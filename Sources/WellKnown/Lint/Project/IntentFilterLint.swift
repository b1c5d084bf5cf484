import SSOShared

/// What keeps an intent filter with `autoVerify` from being verified.
///
/// Source: Google, "Verify Android App Links" and "Test App Links"; Android, "`<data>` element".
enum IntentFilterLint {
    static func findings(of filter: IntentFilter, file: String) -> [Finding] {
        guard filter.autoVerify else { return [] }
        let place = filter.activity.map { "The autoVerify filter of \($0)" } ?? "An autoVerify filter"
        var faults: [(text: String, position: SourcePosition?)] = []
        var lacks: [String] = []
        if !filter.actions.contains("android.intent.action.VIEW") { lacks.append("the action VIEW") }
        if !filter.categories.contains("android.intent.category.BROWSABLE") { lacks.append("the category BROWSABLE") }
        if !filter.categories.contains("android.intent.category.DEFAULT") { lacks.append("the category DEFAULT") }
        if !lacks.isEmpty { faults.append(("lacks " + lacks.joined(separator: " and "), nil)) }

        let web = filter.schemes.filter { $0 == "http" || $0 == "https" }
        let others = filter.schemes.filter { $0 != "http" && $0 != "https" }
        if web.isEmpty {
            faults.append(("has neither http nor https", nil))
        } else if !others.isEmpty {
            faults.append(("mixes http or https with the scheme \(others[0].quoted)", nil))
        }
        if filter.hosts.isEmpty { faults.append(("names no host", nil)) }
        for host in filter.hosts {
            if let fault = fault(in: host) { faults.append((fault, host.position)) }
        }
        return faults.map { fault in
            Finding(
                ProjectRules.manifestFilter, "\(place) \(fault.text).", file: file,
                position: fault.position ?? filter.position)
        }
    }

    private static func fault(in host: ManifestHost) -> String? {
        let name = host.name
        // A resource or a placeholder of the build: what it will be stands elsewhere.
        if name.hasPrefix("@") || name.contains("${") { return nil }
        if name.isEmpty { return "has an empty host" }
        if name.contains("://") || name.contains("/") {
            return "has the host \(name.quoted): a host alone, no scheme and no path"
        }
        if name.contains(":") { return "has the host \(name.quoted): the port goes into android:port" }
        if name == "*" { return "has the host \"*\": every host there is cannot be verified" }
        if name.dropFirst().contains("*") || name.hasPrefix("*") && !name.hasPrefix("*.") {
            return "has the host \(name.quoted): a wildcard is *. at the start"
        }
        if name.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f }) { return "has a blank in the host \(name.quoted)" }
        if let port = host.port, port != "443", port != "-1" {
            return "has the port \(port.quoted): the file is asked for at 443 only"
        }
        return nil
    }
}
