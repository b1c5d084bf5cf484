import WellKnown

/// Reads Android modules: the manifests of their source sets, their Gradle files and resources.
enum AndroidReader: ProjectReader {
    private static let kind = "Android manifest"

    static func takes(_ path: String) -> Bool {
        switch ProjectFolder.name(of: path) {
        case "AndroidManifest.xml", "build.gradle", "build.gradle.kts", "gradle.properties": true
        default: path.hasSuffix(".xml") && ("/" + path).contains("/res/values/")
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
                if let bytes = bytes(prefix + "gradle.properties") { variables.merge(Self.properties(bytes)) { $1 } }
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

        /// Lines of `name=value`. Source: Java, `Properties.load`.
        private static func properties(_ bytes: [UInt8]) -> [String: GradleValue] {
            var values: [String: GradleValue] = [:]
            for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
                let text = line.drop(while: \.isWhitespace)
                guard text.first != "#", text.first != "!",
                    let mark = text.firstIndex(where: { $0 == "=" || $0 == ":" })
                else { continue }
                let name = text[..<mark].filter { !$0.isWhitespace }
                values[String(name)] = .text(String(text[text.index(after: mark)...].drop(while: \.isWhitespace)))
            }
            return values
        }

        // MARK: The app

        private mutating func candidate(
            _ module: Module, _ variant: GradleFile.Variant?, _ included: [Module]
        ) -> AndroidCandidate {
            let flavors = variant?.flavors ?? []
            let sets = ["main"] + flavors.reversed() + ["release"]
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
            for path in sets.compactMap({ module.sets[$0] }) + included.compactMap({ $0.sets["main"] }) {
                let file = "\(path.isEmpty ? "" : "\(path)/")AndroidManifest.xml"
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

        private mutating func note(_ text: String) { if !offer.notes.contains(text) { offer.notes.append(text) } }

        /// The values of all files of res/values, those of later source sets over the others.
        private mutating func resources(_ module: Module, _ sets: [String]) -> [String: String] {
            var values: [String: String] = [:]
            for set in sets {
                let base = module.sets[set] ?? (module.path.isEmpty ? "src/\(set)" : "\(module.path)/src/\(set)")
                let prefix = base.isEmpty ? "res/values/" : "\(base)/res/values/"
                for path in folder.paths where path.hasPrefix(prefix) && path.hasSuffix(".xml") {
                    guard let bytes = folder.bytes(path, "Android resources", &offer.notes) else { continue }
                    do throws(ProjectFileError) {
                        let found = try AndroidResources.values(bytes)
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
