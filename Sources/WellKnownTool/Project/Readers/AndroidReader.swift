import WellKnown

/// Reads Android modules: the manifests of their source sets, their Gradle files and resources.
enum AndroidReader: ProjectReader {
    private static let kind = "Android manifest"

    static func takes(_ path: String) -> Bool {
        switch ProjectFolder.name(of: path) {
        case "AndroidManifest.xml", "build.gradle", "build.gradle.kts", "gradle.properties": true
        default: path.hasSuffix(".xml") && (("/" + path).contains("/res/values") || path.contains("Manifest"))
        }
    }

    static func read(_ folder: ProjectFolder, defined: [String: String]) -> ProjectOffer {
        var run = Run(folder: folder, defined: defined)
        run.read()
        return run.offer
    }

    /// One source set of a module, or the module's own folder.
    private struct Module {
        let path: String
        /// The folder of each source set by its name. The main one is `main`.
        var sets: [String: String] = [:]
        var gradle: GradleFile?
    }

    private struct Run {
        let folder: ProjectFolder
        let defined: [String: String]
        var offer = ProjectOffer()

        mutating func read() {
            var modules = modules()
            for index in modules.indices { modules[index].gradle = gradle(modules[index].path) }
            var found: [(candidate: AndroidCandidate, hasApp: Bool)] = []
            for module in modules where !(module.gradle?.isLibrary ?? false) {
                let included = included(module, modules)
                let variants: [GradleFile.Variant?] = module.gradle?.variants ?? [nil]
                for variant in variants {
                    found.append((candidate(module, variant, included), variant?.applicationID != nil))
                }
            }
            // A module without links and without an application id is a part of an app.
            let apps = found.filter { item in
                item.hasApp || item.candidate.unread != nil
                    || item.candidate.manifest?.filters.contains { !$0.hosts.isEmpty } ?? true
            }
            offer.android = (apps.isEmpty ? found : apps).map(\.candidate)
        }

        private func modules() -> [Module] {
            var modules: [Module] = []
            for path in folder.paths(named: "AndroidManifest.xml") {
                let parts = path.split(separator: "/").map(String.init)
                let source = parts.lastIndex(of: "src")
                let isSet = source == parts.count - 3
                let place = isSet ? parts.dropLast(3).joined(separator: "/") : ProjectFolder.folder(of: path)
                let set = isSet ? parts[parts.count - 2] : "main"
                if let index = modules.firstIndex(where: { $0.path == place }) {
                    modules[index].sets[set] = ProjectFolder.folder(of: path)
                } else {
                    modules.append(Module(path: place, sets: [set: ProjectFolder.folder(of: path)]))
                }
            }
            return modules.filter { $0.sets["main"] != nil }
        }

        /// The modules whose manifests are merged into this one's.
        private func included(_ module: Module, _ modules: [Module]) -> [Module] {
            var (names, found): (Set<String>, [Module]) = (module.gradle?.modules ?? [], [])
            for _ in modules {
                let more = modules.filter { other in
                    names.contains(ProjectFolder.name(of: other.path)) && !found.contains { $0.path == other.path }
                        && other.path != module.path
                }
                guard !more.isEmpty else { break }
                found += more
                names = Set(more.flatMap { $0.gradle?.modules ?? [] })
            }
            return found
        }

        // MARK: Gradle

        private mutating func gradle(_ module: String) -> GradleFile? {
            var variables: [String: GradleValue] = [:]
            var steps = [""]
            for part in module.split(separator: "/") {
                steps.append(steps[steps.count - 1].isEmpty ? String(part) : "\(steps[steps.count - 1])/\(part)")
            }
            for step in steps {
                let prefix = step.isEmpty ? "" : "\(step)/"
                if let bytes = bytes(prefix + "gradle.properties") {
                    variables.merge(GradleFile.properties(bytes)) { $1 }
                }
                for name in ["build.gradle", "build.gradle.kts"] {
                    guard let bytes = bytes(prefix + name) else { continue }
                    let file = GradleFile(reading: bytes, variables: variables)
                    guard step == module else {
                        variables = file.variables
                        continue
                    }
                    let names = Set(file.variants.map { $0.applicationID ?? "not known" }).sorted()
                    offer.notes.append(
                        folder.note(
                            prefix + name, "Gradle module", "applicationId \(names.joined(separator: ", ").printable)"))
                    return file
                }
            }
            return nil
        }

        private mutating func bytes(_ path: String) -> [UInt8]? {
            folder.has(path) ? folder.bytes(path, "Gradle file", &offer.notes) : nil
        }

        // MARK: The app

        private mutating func candidate(
            _ module: Module, _ variant: GradleFile.Variant?, _ included: [Module]
        ) -> AndroidCandidate {
            let flavors = variant?.flavors ?? []
            let sets = Self.sets(flavors)
            var values: [String: String] = [:]
            for other in included { values.merge(resources(other, ["main"])) { $1 } }
            values.merge(resources(module, sets)) { $1 }
            values.merge(variant?.values ?? [:]) { $1 }
            values.merge(defined) { $1 }
            let name =
                (module.path.isEmpty ? "the Android app" : module.path)
                + (flavors.isEmpty ? "" : ", flavor \(flavors.joined(separator: " "))")
            var candidate = AndroidCandidate(name: name)
            if !flavors.isEmpty { candidate.names["flavor"] = flavors.joined(separator: " ") }
            var parts: [AndroidManifest] = []
            let files = sets.compactMap { manifest($0, of: module) } + included.compactMap { manifest("main", of: $0) }
            for file in files {
                do throws(ProjectFiles.ReadError) {
                    let manifest = try ProjectFiles.manifest(folder.full(file), filling: values)
                    parts.append(manifest)
                    if parts.count == 1 { candidate.file = folder.full(file) }
                    let count = manifest.filters.count { $0.takesWebLinks }
                    note(folder.note(file, AndroidReader.kind, "\(count) intent filters for links"))
                } catch {
                    note(folder.note(file, AndroidReader.kind, "not read: \(error.reason)"))
                    candidate.unread = "\(folder.full(file)) cannot be read"
                    return candidate
                }
            }
            candidate.manifest = AndroidManifest(merging: parts)
            if let variant {
                // The application id is Gradle's. The package of the source does not replace it.
                candidate.manifest?.package = variant.applicationID
                if !variant.unread.isEmpty {
                    note(
                        "\(name): only a run of the build knows \(variant.unread.joined(separator: ", ")). Give --package or "
                            + "--define NAME=VALUE")
                }
            }
            return candidate
        }

        /// The source sets of a variant for users, from the most general one on.
        private static func sets(_ flavors: [String]) -> [String] {
            let all = flavors.enumerated().map { $0 == 0 ? $1 : $1.prefix(1).uppercased() + $1.dropFirst() }.joined()
            return ["main"] + flavors.reversed() + (flavors.count > 1 ? [all] : []) + ["release"]
                + (flavors.isEmpty ? [] : [all + "Release"])
        }

        /// The manifest of a source set: the one that the build file names, or the one in its folder.
        private func manifest(_ set: String, of module: Module) -> String? {
            if let named = module.gradle?.manifests[set] { return ProjectFolder.path(module.path, named) ?? named }
            return module.sets[set].map { $0.isEmpty ? "AndroidManifest.xml" : "\($0)/AndroidManifest.xml" }
        }

        private mutating func note(_ text: String) { if !offer.notes.contains(text) { offer.notes.append(text) } }

        /// The values of all files of res/values, those of later source sets over the others. A value that depends on the
        /// device, as it stands in res/values-NAME with another text, is not known.
        private mutating func resources(_ module: Module, _ sets: [String]) -> [String: String] {
            var values: [String: String] = [:]
            for set in sets {
                let base = module.sets[set] ?? (module.path.isEmpty ? "src/\(set)" : "\(module.path)/src/\(set)")
                let prefix = base.isEmpty ? "res/values" : "\(base)/res/values"
                // The folder without a qualifier comes first.
                let own = folder.paths.filter { $0.hasPrefix(prefix) && $0.hasSuffix(".xml") }
                for path in own.filter({ $0.hasPrefix(prefix + "/") }) + own.filter({ $0.hasPrefix(prefix + "-") }) {
                    guard let bytes = folder.bytes(path, "Android resources", &offer.notes) else { continue }
                    do throws(ProjectFileError) {
                        let found = try AndroidResources.values(bytes)
                        guard path.hasPrefix(prefix + "/") else {
                            for (name, value) in found where values[name] != value { values[name] = nil }
                            continue
                        }
                        values.merge(found) { $1 }
                        if !found.isEmpty { note(folder.note(path, "Android resources", "\(found.count) values")) }
                    } catch {
                        note(folder.note(path, "Android resources", "not read: \(error)"))
                    }
                }
            }
            return values
        }
    }
}
