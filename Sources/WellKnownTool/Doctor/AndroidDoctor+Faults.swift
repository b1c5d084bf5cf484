import SSOShared
import WellKnown

/// What is wrong with an intent filter for the host, and what to do.
extension AndroidDoctor {
    typealias Fault = (found: String, advice: String)

    func faults(of filter: IntentFilter, in manifest: AndroidManifest) -> [Fault] {
        Self.deliveryFaults(of: filter) + Self.schemeFaults(of: filter) + hostFaults(of: filter)
            + Self.activityFaults(of: filter, in: manifest)
    }

    /// What keeps links from the filter, or from being verified.
    private static func deliveryFaults(of filter: IntentFilter) -> [Fault] {
        let needs: [(isMet: Bool, found: String, advice: String)] = [
            (
                filter.autoVerify, "no android:autoVerify",
                "Write android:autoVerify=\"true\": without it nothing is verified, and the user is asked or sent to the "
                    + "browser."
            ),
            (
                filter.actions.contains("android.intent.action.VIEW"), "no action VIEW",
                "Add <action android:name=\"android.intent.action.VIEW\"/>: links are delivered with it."
            ),
            (
                filter.categories.contains("android.intent.category.BROWSABLE"), "no category BROWSABLE",
                "Add <category android:name=\"android.intent.category.BROWSABLE\"/>: browsers send links to such filters only."
            ),
            (
                filter.categories.contains("android.intent.category.DEFAULT"), "no category DEFAULT",
                "Add <category android:name=\"android.intent.category.DEFAULT\"/>: links come as implicit intents."
            ),
        ]
        return needs.filter { !$0.isMet }.map { ($0.found, $0.advice) }
    }

    private static func schemeFaults(of filter: IntentFilter) -> [Fault] {
        var faults: [Fault] = []
        let web = filter.schemes.filter { $0 == "http" || $0 == "https" }
        let others = filter.schemes.filter { $0 != "http" && $0 != "https" && !BuildPlaceholder.isIn($0) }
        if let loud = others.first(where: { ["http", "https"].contains($0.lowercased()) }) {
            faults.append(("scheme \(loud)", "Write the scheme in lower case: Android compares the text."))
        } else if !others.isEmpty {
            faults.append(
                (
                    "schemes \(filter.schemes.joined(separator: ", "))",
                    "Move \(AppleDoctor.list(others)) to an intent filter of its own: one with other schemes is not verified."
                ))
        }
        if filter.schemes.isEmpty {
            faults.append(("no scheme", "Add android:scheme=\"https\": without a scheme the host is ignored."))
        }
        if web == ["http"] {
            faults.append(("scheme http only", "Add android:scheme=\"https\": https links do not open the app."))
        }
        return faults
    }

    private func hostFaults(of filter: IntentFilter) -> [Fault] {
        var faults: [Fault] = []
        let hosts = filter.hosts.filter { host.isMeant(by: $0.name) }
        if let loud = hosts.first(where: { $0.name != $0.name.lowercased() }),
            !hosts.contains(where: { $0.name == host.name })
        {
            faults.append(("host \(loud.name)", "Write the host in lower case: Android compares the text."))
        }
        if let port = hosts.compactMap(\.port).first, !hosts.contains(where: { $0.port == nil }) {
            faults.append(("port \(port)", "Take android:port out: links without it do not open the app."))
        }
        return faults
    }

    private static func activityFaults(of filter: IntentFilter, in manifest: AndroidManifest) -> [Fault] {
        guard let activity = filter.activity else { return [] }
        var faults: [Fault] = []
        if manifest.closedActivities.contains(activity) {
            faults.append(
                ("android:exported=\"false\"", "Write android:exported=\"true\" on \(activity): no link reaches it."))
        }
        if manifest.disabledActivities.contains(activity) {
            faults.append(
                (
                    "android:enabled=\"false\"",
                    "Take android:enabled=\"false\" off \(activity): what is disabled takes no link until code enables it."
                ))
        }
        return faults
    }
}
