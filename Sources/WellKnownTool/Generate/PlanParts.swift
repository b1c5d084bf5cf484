import WellKnown

/// What a plan is made of, from flags, from a file, or from both together.
struct PlanParts {
    var appleApps: [AppleAppID] = []
    var androidApps: [AndroidApp] = []
    var routes: [LinkRoute] = []
    var excludes: [LinkRoute] = []
    /// Of the links; for the intent filter and the addresses in messages.
    var host: String?
    var options = AssociationPlan.Options()

    func plan() throws(AssociationFault) -> AssociationPlan {
        try AssociationPlan(
            appleApps: appleApps, androidApps: androidApps, routes: routes, excludes: excludes, options: options)
    }

    /// A host as it stands in a manifest: a name of several parts, lower case, nothing around it.
    static func isHost(_ text: String) -> Bool {
        guard let target = FetchTarget(text), target.port == nil, target.path == nil else { return false }
        let isName = text.utf8.allSatisfy { byte in
            (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2d || byte == 0x2e
        }
        return isName && target.host == text && text.contains(".") && !target.isNumeric
    }
}
