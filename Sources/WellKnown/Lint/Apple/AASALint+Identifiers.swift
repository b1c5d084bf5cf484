extension AASALint {
    /// Every app identifier in the file, wherever it stands.
    mutating func identifiers() {
        let places = AppleIdentifiers.places(in: file)
        var known: [String: String] = [:]
        for place in places where place.app.utf8.dropFirst(10).first == UInt8(ascii: ".") {
            let bundle = String(place.app.dropFirst(11))
            if known[bundle] == nil, (try? AppleAppID(place.app)) != nil { known[bundle] = place.app }
        }
        var prefixes: [String: String] = [:]
        var reported: Set<String> = []
        var sound: Set<String> = []
        for place in places {
            if !sound.contains(place.app), let fault = AppleIdentifiers.fault(in: place.app, known: known) {
                sheet.add(fault.rule, at: place.offset, fault.message, fix: fault.fix)
                continue
            }
            sound.insert(place.app)
            guard !place.app.isEmpty, let app = try? AppleAppID(place.app) else { continue }
            if let other = prefixes[app.bundleID], other != app.teamID {
                guard reported.insert(app.bundleID).inserted else { continue }
                sheet.add(
                    AppleIdentifierRules.prefixDiffers, at: place.offset,
                    "\(app.bundleID.quoted) has the prefixes \(other) and \(app.teamID)")
            }
            prefixes[app.bundleID] = prefixes[app.bundleID] ?? app.teamID
        }
        clips(places)
        services(places, sound)
    }

    private mutating func clips(_ places: [AppleIdentifiers.Place]) {
        let apps = Set(places.filter { $0.service == "applinks" || $0.service == "webcredentials" }.map(\.app))
        for place in places {
            let isClip = Self.isClip(place.app)
            if place.service == "applinks", isClip {
                sheet.add(
                    AppleIdentifierRules.clipInApplinks, at: place.offset,
                    "\(place.app.quoted) looks like an App Clip, and stands under applinks")
            } else if place.service == "appclips", !isClip, apps.contains(place.app) {
                sheet.add(
                    AppleIdentifierRules.clipInApplinks, at: place.offset,
                    "\(place.app.quoted) is an app of this file, and stands under appclips")
            }
        }
    }

    /// Only when both services are in use: a file for links alone is nothing to remark.
    private mutating func services(_ places: [AppleIdentifiers.Place], _ known: Set<String>) {
        func first(_ service: String) -> [(app: String, offset: Int)] {
            var seen: Set<String> = []
            return places.filter { $0.service == service && known.contains($0.app) && seen.insert($0.app).inserted }
                .map { ($0.app, $0.offset) }
        }
        let links = first("applinks")
        let credentials = first("webcredentials")
        guard !links.isEmpty, !credentials.isEmpty else { return }
        // By bundle identifier: another prefix has a finding of its own.
        func bundles(_ service: String) -> Set<Substring> {
            Set(places.filter { $0.service == service }.map { Self.bundle($0.app) })
        }
        let linkApps = bundles("applinks")
        let credentialApps = bundles("webcredentials")
        for (app, offset) in links where !credentialApps.contains(Self.bundle(app)) && !Self.isClip(app) {
            sheet.add(
                AppleIdentifierRules.inconsistentServices, at: offset,
                "\(app.quoted) is under applinks and not under webcredentials")
        }
        for (app, offset) in credentials where !linkApps.contains(Self.bundle(app)) && !Self.isClip(app) {
            sheet.add(
                AppleIdentifierRules.inconsistentServices, at: offset,
                "\(app.quoted) is under webcredentials and not under applinks")
        }
    }

    private static func bundle(_ app: String) -> Substring { app.drop { $0 != "." } }

    private static func isClip(_ app: String) -> Bool { app.lowercased().hasSuffix(".clip") }
}
