/// What users notice of the difference between Apple's copy and the site's file, in a line.
enum CDNDrift {
    /// As many addresses as fit a message.
    private static let most = 3

    static func words(_ diff: LinkDiff) -> String {
        if diff.isEmpty { return "no link is decided otherwise" }
        var parts = diff.addedApps.prefix(most).map { "\($0.quoted) is new on the site" }
        parts += diff.removedApps.prefix(most).map { "\($0.quoted) is at Apple only" }
        parts += diff.changes.prefix(most).map { change in
            "\(change.witness) for \(change.app) is \u{201c}\(change.old.rawValue)\u{201d} at Apple, "
                + "\u{201c}\(change.new.rawValue)\u{201d} on the site"
        }
        if !diff.notDecided.isEmpty { parts.append("\(diff.notDecided.count) apps have too many rules to compare") }
        let rest = max(0, diff.changes.count - most)
        return parts.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
    }
}
