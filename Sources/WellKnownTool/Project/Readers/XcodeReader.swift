import WellKnown

/// Reads Xcode projects with their `.xcconfig` files and entitlements.
enum XcodeReader: ProjectReader {
    private static let kind = "Xcode project"

    static func takes(_ path: String) -> Bool {
        ["project.pbxproj", "Info.plist", "ExportOptions.plist"].contains(ProjectFolder.name(of: path))
            || path.hasSuffix(".xcconfig") || path.hasSuffix(".entitlements")
    }

    static func read(_ folder: ProjectFolder, defined: [String: String]) -> ProjectOffer {
        var run = Run(folder: folder, defined: defined)
        for path in folder.paths(named: "project.pbxproj") { run.read(path) }
        let phones = run.found.filter(\.isPhone)
        run.offer.apple = (phones.isEmpty ? run.found : phones).map(\.candidate)
        return run.offer
    }

    /// One reading of a folder.
    private struct Run {
        let folder: ProjectFolder
        let defined: [String: String]
        var offer = ProjectOffer()
        var found: [(candidate: AppleCandidate, isPhone: Bool)] = []
        /// The names of the settings of all configurations.
        var elsewhere: Set<String> = []

        mutating func read(_ path: String) {
            guard let bytes = folder.bytes(path, XcodeReader.kind, &offer.notes) else { return }
            let project: XcodeProject
            do throws(ProjectFileError) { project = try XcodeProject(reading: bytes) } catch {
                offer.notes.append(folder.note(path, XcodeReader.kind, "not read: \(error)"))
                found.append((AppleCandidate(name: path, unread: "\(folder.full(path)) cannot be read"), true))
                return
            }
            let apps = project.configurations.filter(\.isApplication)
            elsewhere = Set(project.configurations.flatMap(\.levels).flatMap(\.settings.keys))
            for file in folder.paths(ending: ".xcconfig") {
                guard let bytes = try? ProjectFiles.text(folder.full(file)) else { continue }
                for case .setting(let name, _) in XcodeSettingsFile.lines(bytes) { elsewhere.insert(name) }
            }
            elsewhere = Set(elsewhere.map { String($0.prefix { $0 != "[" }) })
            for configuration in builds(apps) { read(configuration, of: path) }
            offer.notes.append(folder.note(path, XcodeReader.kind, words(project)))
        }

        /// The configurations for users: those of Release, or those that are not for development.
        private func builds(_ apps: [XcodeProject.Configuration]) -> [XcodeProject.Configuration] {
            if let name = defined["CONFIGURATION"] { return apps.filter { $0.name == name } }
            return Dictionary(grouping: apps.enumerated(), by: \.element.target).values.flatMap { own in
                let release = own.filter { $0.element.name.lowercased().contains("release") }
                let others = own.filter { item in
                    !["debug", "profile"].contains { item.element.name.lowercased().contains($0) }
                }
                return release.isEmpty ? others.isEmpty ? own : others : release
            }.sorted { $0.offset < $1.offset }.map(\.element)
        }

        private func words(_ project: XcodeProject) -> String {
            let targets = Set(project.configurations.map(\.target)).count
            let names = Set(project.configurations.map(\.name)).sorted().joined(separator: ", ")
            return "\(targets) target\(targets == 1 ? "" : "s"), configurations \(names.printable)"
        }

        private mutating func read(_ configuration: XcodeProject.Configuration, of path: String) {
            // NAME.xcodeproj/project.pbxproj is in the folder from which paths count.
            let source = path.split(separator: "/").dropLast(2).joined(separator: "/")
            let (values, isWhole) = values(of: configuration, in: source)
            let name = "\(configuration.target) in \(configuration.name)"
            var candidate = AppleCandidate(
                name: name, names: ["TARGET_NAME": configuration.target, "CONFIGURATION": configuration.name])
            candidate.id = id(configuration, values, source)
            entitlements(values, source, isWhole: isWhole, name, &candidate)
            let root = values["SDKROOT"] ?? "iphoneos"
            let isPhone =
                root.hasPrefix("iphone") || root == "auto" && values["SUPPORTED_PLATFORMS"]?.contains("iphone") ?? true
            found.append((candidate, isPhone))
        }

        // MARK: Settings

        private mutating func values(
            of configuration: XcodeProject.Configuration, in source: String
        ) -> (values: [String: String], isWhole: Bool) {
            var settings = XcodeSettings(configuration: configuration.name)
            settings.add([
                ("TARGET_NAME", configuration.target), ("CONFIGURATION", configuration.name), ("SRCROOT", source),
                ("PROJECT_DIR", source), ("PRODUCT_NAME", "$(TARGET_NAME)"), ("PROJECT_NAME", configuration.target),
            ])
            var isWhole = true
            var visited: [String] = []
            if configuration.levels.allSatisfy({ $0.file == nil }) {
                // Without a reference, a build on the command line may name the file. Values of one meaning are taken.
                settings.add(unnamed())
            }
            for level in configuration.levels {
                if let file = level.file {
                    let path = ProjectFolder.path(source, file) ?? file
                    settings.add(lines(of: path, from: source, &visited, &isWhole))
                }
                settings.add(level.settings.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
            }
            // A setting that other configurations alone have is empty in this one.
            let others = isWhole ? elsewhere.subtracting(Self.own).map { ($0, "") } : []
            let values = Dictionary(others) { $1 }.merging(settings.values) { $1 }
            return (values.merging(defined) { $1 }, isWhole)
        }

        /// Settings that are known to be absent from their own places alone.
        private static let own: Set<String> = [
            "PRODUCT_BUNDLE_IDENTIFIER", "DEVELOPMENT_TEAM", "CODE_SIGN_ENTITLEMENTS", "INFOPLIST_FILE", "SDKROOT",
            "SUPPORTED_PLATFORMS",
        ]

        /// The settings of a file and of those that it includes.
        private mutating func lines(
            of path: String, from source: String, _ visited: inout [String], _ isWhole: inout Bool
        ) -> [(name: String, value: String)] {
            guard folder.has(path), visited.count < 50 else {
                // CocoaPods and Flutter write theirs when they run. They have no settings that matter here.
                let isGenerated = path.contains("Pods") || path.hasSuffix("Generated.xcconfig")
                if !isGenerated {
                    isWhole = false
                    offer.notes.append(folder.note(path, "Xcode settings", "not read: there is no such file"))
                }
                return []
            }
            guard !visited.contains(path), let bytes = folder.bytes(path, "Xcode settings", &offer.notes) else {
                return []
            }
            visited.append(path)
            var settings: [(name: String, value: String)] = []
            var count = 0
            for line in XcodeSettingsFile.lines(bytes) {
                switch line {
                case .setting(let name, let value):
                    settings.append((name, value))
                    count += 1
                case .include(let file, let isOptional):
                    let place = ProjectFolder.path(ProjectFolder.folder(of: path), file) ?? file
                    let named = folder.has(place) ? place : ProjectFolder.path(source, file) ?? file
                    if folder.has(named) || !isOptional {
                        settings += lines(of: named, from: source, &visited, &isWhole)
                    }
                }
            }
            let note = folder.note(path, "Xcode settings", "\(count) settings")
            if count > 0, !offer.notes.contains(note) { offer.notes.append(note) }
            return settings
        }

        /// Settings that have the same value in all files without a reference.
        private mutating func unnamed() -> [(name: String, value: String)] {
            var values: [String: Set<String>] = [:]
            for path in folder.paths(ending: ".xcconfig") {
                guard let bytes = folder.bytes(path, "Xcode settings", &offer.notes) else { continue }
                for case .setting(let name, let value) in XcodeSettingsFile.lines(bytes) {
                    values[name, default: []].insert(value)
                }
            }
            return values.sorted { $0.key < $1.key }.compactMap { name, values in
                values.count == 1 ? values.first.map { (name, $0) } : nil
            }
        }

        // MARK: The app

        private mutating func id(
            _ configuration: XcodeProject.Configuration, _ values: [String: String], _ source: String
        ) -> AppleAppParts {
            func filled(_ text: String?) -> String? {
                guard let text else { return nil }
                let value = BuildPlaceholder.filled(text, with: values)
                return value.isEmpty || BuildPlaceholder.isIn(value) ? nil : value
            }
            let written = values["PRODUCT_BUNDLE_IDENTIFIER"] ?? information(values, source)
            let team = filled(values["DEVELOPMENT_TEAM"]) ?? filled(configuration.team) ?? exported(source)
            return AppleAppParts(prefix: team, bundle: filled(written))
        }

        /// The bundle id in the target's Info.plist, where older projects write it.
        private mutating func information(_ values: [String: String], _ source: String) -> String? {
            guard let file = values["INFOPLIST_FILE"], let path = place(of: file, values, source), folder.has(path),
                let bytes = folder.bytes(path, "Info.plist", &offer.notes)
            else { return nil }
            return (try? PropertyList(reading: bytes))?["CFBundleIdentifier"]?.string
        }

        /// The team in the options for the export of an archive.
        private mutating func exported(_ source: String) -> String? {
            let files = folder.paths(named: "ExportOptions.plist").filter { $0.hasPrefix(source) }
            for path in files {
                guard let bytes = folder.bytes(path, "export options", &offer.notes),
                    let team = (try? PropertyList(reading: bytes))?["teamID"]?.string
                else { continue }
                return team
            }
            return nil
        }

        private func place(of written: String, _ values: [String: String], _ source: String) -> String? {
            let name = BuildPlaceholder.filled(written, with: values)
            let isBelow = source.isEmpty || name.hasPrefix(source + "/")
            return ProjectFolder.path("", isBelow ? name : "\(source)/\(name)")
        }

        private mutating func entitlements(
            _ values: [String: String], _ source: String, isWhole: Bool, _ name: String,
            _ candidate: inout AppleCandidate
        ) {
            guard let written = values["CODE_SIGN_ENTITLEMENTS"], !written.isEmpty else {
                // A setting that was not read may name the file.
                if isWhole, !folder.paths(ending: ".entitlements").isEmpty {
                    candidate.entitlements = AppEntitlements(.dictionary([:]))
                    offer.notes.append("\(name): the setting CODE_SIGN_ENTITLEMENTS names no file")
                }
                return
            }
            guard let path = place(of: written, values, source), folder.has(path) else {
                candidate.unread = "\(name) names the entitlements \(written.printable), which are not in the folder"
                offer.notes.append("\(name): no file \(written.printable)")
                return
            }
            do throws(ProjectFiles.ReadError) {
                candidate.entitlements = try ProjectFiles.entitlements(folder.full(path), filling: values)
                candidate.file = folder.full(path)
                offer.notes.append(folder.note(path, "entitlements", "of \(name)"))
            } catch {
                candidate.unread = "\(folder.full(path)) cannot be read: \(error.reason)"
                offer.notes.append(folder.note(path, "entitlements", "not read: \(error.reason)"))
            }
            if let id = candidate.entitlements?.applicationIdentifier {
                let parts = id.split(separator: ".", maxSplits: 1).map(String.init)
                if parts.count == 2, !id.hasSuffix("*") {
                    candidate.id = AppleAppParts(prefix: parts[0], bundle: parts[1])
                }
            }
            candidate.id.prefix = candidate.id.prefix ?? candidate.entitlements?.teamIdentifier
        }
    }
}
