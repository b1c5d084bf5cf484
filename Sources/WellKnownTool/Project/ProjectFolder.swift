/// The files of an app's project that a reader takes.
///
/// Folders of dependencies and of builds are left out: what they contain is not the project's own.
struct ProjectFolder {
    let root: String
    /// The paths below the folder, in order.
    let paths: [String]
    /// Whether the folder has more files than are looked at.
    let isTruncated: Bool

    private let known: Set<String>

    private static let left: Set<String> = [
        "node_modules", "Pods", "build", "Build", "DerivedData", "Carthage", "dist", "vendor", "xcuserdata", "target",
    ]

    /// - Throws: ``ProjectFiles/ReadError`` if the folder cannot be read.
    init(_ root: String) throws(ProjectFiles.ReadError) {
        guard AssociationFolder.isFolder(root) else {
            throw ProjectFiles.ReadError(file: root, reason: "it is not a folder")
        }
        let walk = FolderWalk(root, deepest: 10, mostEntries: 50_000) { name in
            !Self.left.contains(name) && !name.hasPrefix(".")
        } takes: { path in
            ProjectReading.readers.contains { $0.takes(path) }
        }
        self.root = root
        paths = walk.paths.sorted()
        known = Set(paths)
        isTruncated = walk.isTruncated
    }

    func has(_ path: String) -> Bool { known.contains(path) }

    func paths(named names: String...) -> [String] { paths.filter { names.contains(Self.name(of: $0)) } }

    func paths(ending suffix: String) -> [String] { paths.filter { $0.hasSuffix(suffix) } }

    /// The path for opening a file.
    func full(_ path: String) -> String { root.hasSuffix("/") ? root + path : "\(root)/\(path)" }

    /// One line about a file, for the list of what was looked at.
    func note(_ path: String, _ kind: String, _ text: String) -> String { "\(full(path)) (\(kind)): \(text)" }

    /// The bytes of a file, or a note why they cannot be read.
    func bytes(_ path: String, _ kind: String, _ notes: inout [String]) -> [UInt8]? {
        do throws(ProjectFiles.ReadError) { return try ProjectFiles.text(full(path)) } catch {
            notes.append(note(path, kind, "not read: \(error.reason)"))
            return nil
        }
    }

    static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    static func folder(of path: String) -> String { path.split(separator: "/").dropLast().joined(separator: "/") }

    /// The path of `relative` as seen from `folder`. `nil` if it leads out of the project.
    static func path(_ folder: String, _ relative: String) -> String? {
        var parts: [Substring] = []
        for part in (relative.hasPrefix("/") ? relative : "\(folder)/\(relative)").split(separator: "/")
        where part != "." {
            if part != ".." {
                parts.append(part)
            } else if parts.popLast() == nil {
                return nil
            }
        }
        return parts.joined(separator: "/")
    }
}
