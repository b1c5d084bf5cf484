import Foundation

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
    private static let mostEntries = 50_000
    private static let deepest = 10

    /// - Throws: ``ProjectFiles/ReadError`` if the folder cannot be read.
    init(_ root: String) throws(ProjectFiles.ReadError) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: root, isDirectory: &isFolder), isFolder.boolValue else {
            throw ProjectFiles.ReadError(file: root, reason: "it is not a folder")
        }
        self.root = root
        var paths: [String] = []
        var left = Self.mostEntries
        Self.visit(root, "", depth: 0, &left, &paths)
        self.paths = paths.sorted()
        known = Set(paths)
        isTruncated = left <= 0
    }

    func has(_ path: String) -> Bool { known.contains(path) }

    /// The paths of the files with one of these names.
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

    private static func visit(_ root: String, _ below: String, depth: Int, _ left: inout Int, _ paths: inout [String]) {
        let folder = below.isEmpty ? root : "\(root)/\(below)"
        guard depth <= deepest, let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return }
        for name in names.sorted() where left > 0 {
            left -= 1
            let path = below.isEmpty ? name : "\(below)/\(name)"
            // A symbolic link may lead out of the project, or in a circle.
            let type = try? FileManager.default.attributesOfItem(atPath: "\(root)/\(path)")[.type] as? FileAttributeType
            if type == .typeDirectory {
                guard !Self.left.contains(name), !name.hasPrefix(".") else { continue }
                visit(root, path, depth: depth + 1, &left, &paths)
            } else if type == .typeRegular, ProjectReading.readers.contains(where: { $0.takes(path) }) {
                paths.append(path)
            }
        }
    }
}
