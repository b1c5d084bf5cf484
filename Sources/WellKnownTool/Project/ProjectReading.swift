import Foundation
import WellKnown

/// The inputs for the doctor from an app's project, and what was looked at.
struct ProjectReading {
    var entitlements: (file: String, value: AppEntitlements)?
    var manifest: (file: String, value: AndroidManifest)?
    /// PREFIX.bundle.id, if the project names both parts.
    var app: String?
    var package: String?
    /// One line for each file: its path, its kind and what was found in it.
    var notes: [String] = []

    private let folder: ProjectFolder
    private let defined: [String: String]

    /// - Parameter defined: values of placeholders that take precedence over those of the project.
    /// - Throws: ``ProjectFiles/ReadError`` for a file that cannot be read.
    init(_ folder: ProjectFolder, defined: [String: String]) throws(ProjectFiles.ReadError) {
        self.folder = folder
        self.defined = defined
        try readExpo()
        try readApple()
        try readAndroid()
        for kind in [ProjectFolder.Kind.pubspec, .reactNative] {
            if let path = folder.paths(kind).first { note(path, kind, "the platform folders are read") }
        }
        if notes.isEmpty {
            notes.append("\(folder.root): no manifest, entitlements, Xcode project or Expo configuration was found")
        }
        if folder.isTruncated { notes.append("\(folder.root): it has more files than are looked at") }
    }

    private mutating func note(_ path: String, _ kind: ProjectFolder.Kind, _ text: String) {
        notes.append("\(folder.full(path)) (\(kind.rawValue)): \(text)")
    }

    // MARK: Expo

    private mutating func readExpo() throws(ProjectFiles.ReadError) {
        for path in folder.paths(.expo) {
            let file = folder.full(path)
            // Other tools also have an app.json, such as React Native and Heroku.
            guard let config = try? ExpoConfig(reading: ProjectFiles.bytes(file), filling: defined) else { continue }
            let count = (config.domains?.count ?? 0, config.filters?.count ?? 0)
            note(path, .expo, "\(count.0) associated domains, \(count.1) intent filters")
            if entitlements == nil, config.domains != nil || config.bundleIdentifier != nil {
                entitlements = (file, AppEntitlements(config))
                app = config.bundleIdentifier.flatMap { bundle in config.teamIdentifier.map { "\($0).\(bundle)" } }
            }
            if manifest == nil, config.filters != nil || config.package != nil {
                manifest = (file, AndroidManifest(config))
                package = config.package
            }
        }
    }

    // MARK: Xcode

    private mutating func readApple() throws(ProjectFiles.ReadError) {
        var settings: [String: String] = [:]
        for path in folder.paths(.settings) {
            let values = XcodeSettingsFile.values(try ProjectFiles.bytes(folder.full(path)))
            settings.merge(values) { first, _ in first }
            note(path, .settings, "\(values.count) settings")
        }
        for path in folder.paths(.xcode) {
            let file = folder.full(path)
            let project: XcodeProject
            let bytes = try ProjectFiles.bytes(file)
            do throws(ProjectFileError) { project = try XcodeProject(reading: bytes) } catch {
                throw ProjectFiles.ReadError(file: file, reason: error.description)
            }
            let apps = project.configurations.filter(\.isApplication)
            // The build for users: Release, or the last configuration, which Xcode builds for archives.
            let release = apps.filter { $0.name.lowercased().contains("release") }
            for configuration in release.isEmpty ? apps : release {
                try read(configuration, of: path, settings)
            }
            note(path, .xcode, Self.words(project))
        }
        let used = entitlements?.file
        for path in folder.paths(.entitlements) where folder.full(path) != used {
            let file = folder.full(path)
            let value = try ProjectFiles.entitlements(file, filling: settings.merging(defined) { $1 })
            let count = value.associatedDomains?.count ?? 0
            // Without a project that names the file, the first one with associated domains is taken.
            let isTaken = entitlements == nil && (count > 0 || folder.paths(.entitlements).count == 1)
            if isTaken { entitlements = (file, value) }
            note(path, .entitlements, "\(count) associated domains\(isTaken ? "" : "; not compared")")
        }
    }

    private mutating func read(
        _ configuration: XcodeProject.Configuration, of path: String, _ shared: [String: String]
    ) throws(ProjectFiles.ReadError) {
        var values = shared.merging(configuration.settings) { $1 }
        values["TARGET_NAME"] = configuration.target
        values["CONFIGURATION"] = configuration.name
        values.merge(defined) { $1 }
        guard let written = values["CODE_SIGN_ENTITLEMENTS"], entitlements == nil else { return }
        // NAME.xcodeproj/project.pbxproj is in the folder from which paths count.
        let source = path.split(separator: "/").dropLast(2).joined(separator: "/")
        values["SRCROOT"] = values["SRCROOT"] ?? source
        values["PROJECT_DIR"] = values["PROJECT_DIR"] ?? source
        let name = BuildPlaceholder.filled(written, with: values)
        let isBelow = source.isEmpty || name.hasPrefix(source + "/")
        let relative = String((isBelow ? name : "\(source)/\(name)").drop { $0 == "/" })
        guard folder.paths(.entitlements).contains(relative) else {
            return note(path, .xcode, "\(configuration.target), \(configuration.name): no file \(relative.printable)")
        }
        let file = folder.full(relative)
        entitlements = (file, try ProjectFiles.entitlements(file, filling: values))
        let bundle = values["PRODUCT_BUNDLE_IDENTIFIER"].map { BuildPlaceholder.filled($0, with: values) }
        if let bundle, let team = values["DEVELOPMENT_TEAM"], !BuildPlaceholder.isIn(bundle), !team.isEmpty {
            app = app ?? "\(team).\(bundle)"
        }
        note(relative, .entitlements, "of \(configuration.target) in \(configuration.name)")
    }

    private static func words(_ project: XcodeProject) -> String {
        let targets = Set(project.configurations.map(\.target)).count
        let names = Set(project.configurations.map(\.name)).sorted().joined(separator: ", ")
        return "\(targets) target\(targets == 1 ? "" : "s"), configurations \(names.printable)"
    }

    // MARK: Android

    private mutating func readAndroid() throws(ProjectFiles.ReadError) {
        var found: [(path: String, value: AndroidManifest, gradle: GradleFile?)] = []
        for path in folder.paths(.manifest) {
            let gradle = try gradle(of: path)
            var values = try strings(of: path)
            values.merge(gradle?.values ?? [:]) { $1 }
            values.merge(defined) { $1 }
            found.append((path, try ProjectFiles.manifest(folder.full(path), filling: values), gradle))
        }
        // Of several modules, the one with links is the app.
        let best = found.first { $0.value.filters.contains(where: \.takesWebLinks) } ?? found.first
        for item in found {
            let isTaken = item.path == best?.path && manifest == nil
            note(
                item.path, .manifest,
                "\(item.value.filters.count { $0.takesWebLinks }) intent filters for links\(isTaken ? "" : "; not compared")"
            )
        }
        guard let best, manifest == nil else { return }
        manifest = (folder.full(best.path), best.value)
        package = best.gradle?.applicationID ?? package
    }

    /// The Gradle file of the module: beside `src`, or in the manifest's own folder.
    private mutating func gradle(of manifest: String) throws(ProjectFiles.ReadError) -> GradleFile? {
        let parts = manifest.split(separator: "/").map(String.init)
        let source = parts.lastIndex(of: "src") ?? parts.count - 1
        let module = parts[..<source].joined(separator: "/")
        let names = ["build.gradle", "build.gradle.kts"].map { module.isEmpty ? $0 : "\(module)/\($0)" }
        guard let path = folder.paths(.gradle).first(where: names.contains) else { return nil }
        let file = GradleFile(reading: try ProjectFiles.bytes(folder.full(path)))
        note(
            path, .gradle,
            "\(file.values.count) values, applicationId \((file.applicationID ?? "not literal").printable)")
        return file
    }

    /// The values of `@string/NAME` in the resources beside the manifest.
    private mutating func strings(of manifest: String) throws(ProjectFiles.ReadError) -> [String: String] {
        let folder = manifest.split(separator: "/").dropLast().joined(separator: "/")
        let name = folder.isEmpty ? "res/values/strings.xml" : "\(folder)/res/values/strings.xml"
        guard self.folder.paths(.strings).contains(name) else { return [:] }
        let file = self.folder.full(name)
        let bytes = try ProjectFiles.bytes(file)
        do throws(ProjectFileError) {
            let root = try ProjectXMLReader.read(bytes)
            var values: [String: String] = [:]
            for child in root.children(named: "string") {
                if let key = child["name"] { values["@string/\(key)"] = child.text }
            }
            note(name, .strings, "\(values.count) strings")
            return values
        } catch {
            throw ProjectFiles.ReadError(file: file, reason: error.description)
        }
    }
}
