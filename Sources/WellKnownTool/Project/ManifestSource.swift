import WellKnown

/// Reads elements of a manifest with its prefixes and the values of the build.
///
/// Sources: Android, "`<activity>`", "`<data>`", "Manage manifest files" (node markers).
struct ManifestSource {
    let prefix: String
    let tools: String
    let values: [String: String]
    let isCompiled: Bool

    /// A setting that is true or false.
    enum Flag: Equatable {
        case absent, yes, no
        /// A resource or a placeholder decides.
        case open(String)

        var isYes: Bool? {
            switch self {
            case .absent: nil
            case .yes, .open: true
            case .no: false
            }
        }

        func condition(_ name: String) -> [String] {
            if case .open(let text) = self { ["\(name)=\"\(text)\""] } else { [] }
        }
    }

    /// An attribute of Android's namespace, with the build's values.
    subscript(element: ProjectXMLElement, name: String) -> String? { written(element, name).map(filled) }

    /// An attribute as written. `nil` for one that the build removes.
    private func written(_ element: ProjectXMLElement, _ name: String) -> String? {
        let removed = element["\(tools):remove"].map { $0.split { $0 == "," || $0.isWhitespace } } ?? []
        return removed.contains("\(prefix):\(name)") ? nil : element["\(prefix):\(name)"]
    }

    func filled(_ text: String) -> String { BuildPlaceholder.filled(text, with: values) }

    func flag(_ element: ProjectXMLElement, _ name: String) -> Flag {
        switch self[element, name] {
        case nil: .absent
        case "true", "TRUE", "True", "-1", "1": .yes
        // ?attr/name is a value of the theme.
        case let text? where BuildPlaceholder.isIn(text) || text.hasPrefix("?"): .open(text)
        case _?: .no
        }
    }

    /// The children that the build keeps.
    func children(_ element: ProjectXMLElement, _ names: String...) -> [ProjectXMLElement] {
        element.children.filter { child in
            guard names.contains(child.name) else { return false }
            return !["remove", "removeAll"].contains(child["\(tools):node"])
        }
    }

    func filter(_ element: ProjectXMLElement, of activity: String?) -> IntentFilter {
        func names(_ tag: String) -> [String] { children(element, tag).compactMap { self[$0, "name"] } }
        let verify = flag(element, "autoVerify")
        var filter = IntentFilter(
            activity: activity, autoVerify: verify.isYes ?? false, actions: names("action"),
            categories: names("category"), position: element.position)
        filter.conditions = verify.condition("android:autoVerify")
        filter.order = self[element, "order"].flatMap { Int($0) } ?? 0
        filter.groups = children(element, "uri-relative-filter-group").map(group)
        for data in children(element, "data") {
            var item = ManifestData(scheme: self[data, "scheme"], position: data.position)
            item.host = self[data, "host"].map { ManifestHost($0, port: self[data, "port"], position: data.position) }
            item.paths = ManifestPath.Kind.allCases.compactMap { kind in
                pattern(data, kind.rawValue).map { ManifestPath(kind, $0, position: data.position) }
            }
            filter.add(item, type: self[data, "mimeType"])
        }
        return filter
    }

    private func group(_ element: ProjectXMLElement) -> RelativeFilterGroup {
        var group = RelativeFilterGroup(
            isAllowed: flag(element, "allow") != .no, conditions: [], position: element.position)
        for data in children(element, "data") {
            for part in RelativeFilterGroup.Part.allCases {
                for kind in ManifestPath.Kind.allCases {
                    // pathPrefix, queryPrefix, fragmentPrefix and so on.
                    let name = part.rawValue + kind.rawValue.dropFirst("path".count)
                    guard let text = pattern(data, name) else { continue }
                    let pattern = ManifestPath(kind, text, position: data.position)
                    group.conditions.append(RelativeFilterGroup.Condition(part, pattern))
                }
            }
        }
        return group
    }

    /// A pattern as the device gets it. The resource compiler removes one backslash of each escape of a literal, and
    /// values of compiled files have lost it already.
    private func pattern(_ element: ProjectXMLElement, _ name: String) -> String? {
        guard let written = written(element, name) else { return nil }
        return isCompiled || written.hasPrefix("@") ? filled(written) : AndroidManifest.unescaped(filled(written))
    }
}
