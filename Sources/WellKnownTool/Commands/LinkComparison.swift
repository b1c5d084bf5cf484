import WellKnown

/// What two versions of a file decide differently.
struct LinkComparison {
    let platform: LinkPlatform
    let changes: [LinkDiff.Change]
    let addedApps, removedApps, changedCertificates, notDecided: [String]

    /// - Throws: ``InputFault`` when the two cannot be compared.
    init(_ old: LinkSubject, _ new: LinkSubject, app: String?) throws(InputFault) {
        for (name, subject) in [("old", old), ("new", new)] {
            guard let refusal = subject.refusal else { continue }
            throw InputFault(description: "the \(name) file opens nothing, its reader refuses it: \(refusal)")
        }
        let diff: LinkDiff
        switch (old, new) {
        case (.apple(let old, _), .apple(let new, _)): diff = LinkDiff.between(old, new, limits: .patient)
        case (.android(let old, _), .android(let new, _)): diff = LinkDiff.between(old, new, limits: .patient)
        case (.rules, _), (_, .rules):
            throw InputFault(description: "dynamic rules alone name no app; diff compares whole files")
        default:
            throw InputFault(description: "one is Apple's file, the other Google's")
        }
        if let app, !old.apps.contains(app), !new.apps.contains(app) {
            throw InputFault(description: "neither file names the app \(app.printable)")
        }
        func asked(_ name: String) -> Bool { app == nil || app == name }
        platform = old.platform
        changes = diff.changes.filter { asked($0.app) }
        addedApps = diff.addedApps.filter(asked)
        removedApps = diff.removedApps.filter(asked)
        changedCertificates = diff.changedCertificates.filter(asked)
        notDecided = diff.notDecided.filter(asked)
    }

    /// Nothing was found. That is no proof when ``notDecided`` names an app.
    private var isSame: Bool {
        changes.isEmpty && addedApps.isEmpty && removedApps.isEmpty && changedCertificates.isEmpty
    }

    /// 2 when no difference was found and the search had to stop early: "the same" would be a guess.
    var exitCode: Int32 { isSame ? (notDecided.isEmpty ? 0 : 2) : 1 }

    func text(style: TextStyle) -> String {
        var lines: [String] = []
        for app in addedApps { lines.append("\(app.printable): \(style.paint("added", .green))") }
        for app in removedApps { lines.append("\(app.printable): \(style.paint("removed", .red))") }
        for app in changedCertificates {
            lines.append("\(app.printable): \(style.paint("other certificates", .yellow))")
        }
        var last: String?
        for change in changes {
            if change.app != last { lines.append("\(change.app.printable) on \(platform.title):") }
            last = change.app
            lines.append("  \(change.witness.description.printable)")
            lines.append("    \(change.old.rawValue) -> \(style.paint(change.new.rawValue, .yellow))")
        }
        for app in notDecided {
            lines.append(
                TextStyle.wrapped(
                    "\(app.printable): its rules could not be compared in full, and \(changes.contains { $0.app == app } ? "there may be more differences" : "differences are not ruled out"). See: wellknown diff --help",
                    first: "", rest: "  "))
        }
        if lines.isEmpty { lines = [style.paint("no difference: every link is decided alike", .green)] }
        return lines.map { $0 + "\n" }.joined()
    }

    /// The names of its members are part of the interface.
    struct Output: Encodable {
        struct Change: Encodable { let app, url, old, new: String }

        let platform: String
        /// False also when the search had to stop early.
        let same: Bool
        let changes: [Change]
        let addedApps, removedApps, changedCertificates, notDecided: [String]
    }

    var json: Output {
        Output(
            platform: platform.rawValue, same: exitCode == 0,
            changes: changes.map {
                Output.Change(
                    app: $0.app, url: $0.witness.description, old: $0.old.rawValue, new: $0.new.rawValue)
            }, addedApps: addedApps, removedApps: removedApps,
            changedCertificates: changedCertificates, notDecided: notDecided)
    }
}
