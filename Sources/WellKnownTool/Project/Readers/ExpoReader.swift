import WellKnown

/// Reads Expo's app.json and app.config.json. A program beside them decides instead of them.
///
/// Sources: Expo, "Configure with app config" and "Work with monorepos"; expo/expo, `@expo/config`, Config.ts.
enum ExpoReader: ProjectReader {
    private static let kind = "Expo configuration"
    private static let endings = ["ts", "js", "mts", "mjs", "cts", "cjs"]

    static func takes(_ path: String) -> Bool {
        let name = ProjectFolder.name(of: path)
        return ["app.json", "app.config.json"].contains(name) || isProgram(name)
    }

    private static func isProgram(_ name: String) -> Bool { endings.contains { name == "app.config.\($0)" } }

    static func read(_ folder: ProjectFolder, defined: [String: String]) -> ProjectOffer {
        var offer = ProjectOffer()
        let programs = folder.paths.filter { isProgram(ProjectFolder.name(of: $0)) }
        for path in programs { read(program: path, folder, &offer) }
        for path in folder.paths(named: "app.json", "app.config.json") {
            guard let bytes = folder.bytes(path, kind, &offer.notes) else { continue }
            // Other tools also have an app.json, such as React Native and Heroku.
            let config: ExpoConfig
            do throws(ProjectFileError) {
                guard let found = try ExpoConfig(reading: bytes, filling: defined) else { continue }
                config = found
            } catch {
                if error.position != nil { offer.notes.append(folder.note(path, kind, "not read: \(error)")) }
                continue
            }
            if let program = programs.first(where: { ProjectFolder.folder(of: $0) == ProjectFolder.folder(of: path) }) {
                let name = ProjectFolder.name(of: program)
                offer.notes.append(folder.note(path, kind, "not compared: \(name) gets it, and its result wins"))
                continue
            }
            add(config, path, folder, &offer)
        }
        return offer
    }

    private static func read(program path: String, _ folder: ProjectFolder, _ offer: inout ProjectOffer) {
        let file = folder.full(path)
        let unread = "\(file) is a program and was not read: give the output of npx expo config --json"
        offer.notes.append(
            folder.note(
                path, kind,
                "a program, not read. Run npx expo config --json > expo.json, and give --entitlements expo.json and "
                    + "--manifest expo.json"))
        let name = ProjectFolder.folder(of: path)
        if !isBuilt(path, "ios", folder) {
            offer.apple.append(AppleCandidate(name: name.isEmpty ? "Expo" : name, unread: unread))
        }
        if !isBuilt(path, "android", folder) {
            offer.android.append(AndroidCandidate(name: name.isEmpty ? "Expo" : name, unread: unread))
        }
    }

    private static func add(_ config: ExpoConfig, _ path: String, _ folder: ProjectFolder, _ offer: inout ProjectOffer)
    {
        let file = folder.full(path)
        let count = (config.domains?.count ?? 0, config.filters?.count ?? 0)
        var words = "\(count.0) associated domains, \(count.1) intent filters"
        if config.domains != nil || config.bundleIdentifier != nil {
            if isBuilt(path, "ios", folder) {
                words += "; for iOS the folder ios beside it is compared"
            } else {
                let parts = AppleAppParts(prefix: config.teamIdentifier, bundle: config.bundleIdentifier)
                offer.apple.append(
                    AppleCandidate(name: path, file: file, entitlements: AppEntitlements(config), id: parts))
            }
        }
        if let unread = config.unread, !isBuilt(path, "android", folder) {
            offer.android.append(AndroidCandidate(name: path, unread: "\(file): \(unread)"))
            words += "; not read: \(unread)"
        } else if config.filters != nil || config.package != nil {
            if isBuilt(path, "android", folder) {
                words += "; for Android the folder android beside it is compared"
            } else {
                offer.android.append(AndroidCandidate(name: path, file: file, manifest: AndroidManifest(config)))
            }
        }
        offer.notes.append(folder.note(path, kind, words))
    }

    /// Whether the native project is there. It is built as it is, and the configuration is not written into it again.
    private static func isBuilt(_ path: String, _ system: String, _ folder: ProjectFolder) -> Bool {
        let base = ProjectFolder.folder(of: path)
        let prefix = base.isEmpty ? "\(system)/" : "\(base)/\(system)/"
        return folder.paths.contains {
            $0.hasPrefix(prefix) && ($0.hasSuffix(".pbxproj") || $0.hasSuffix("AndroidManifest.xml"))
        }
    }
}
