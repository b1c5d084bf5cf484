import Foundation
import WellKnown

/// Finds both files below a folder, in every place where projects keep them.
struct AssociationFolder {
    /// The paths of the files, beginning with the folder's, in order.
    private(set) var files: [String] = []
    private(set) var isTruncated = false

    private static let mostEntries = 10_000
    private static let deepest = 12
    /// Folders of dependencies and of builds.
    private static let left: Set<String> = [
        "node_modules", "Pods", "build", "Build", "DerivedData", "Carthage", "dist", "vendor", "target", "out", "bin",
        "obj",
    ]
    private static let names: Set<String> = [
        "apple-app-site-association", "apple-app-site-association.json", "assetlinks.json",
    ]

    /// The places in words, for a folder without any.
    static let places =
        "apple-app-site-association, apple-app-site-association.json or assetlinks.json in any folder such as .well-known, "
        + "public/.well-known or static/.well-known, not in build output"

    static func isFolder(_ name: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: name, isDirectory: &isFolder) && isFolder.boolValue
    }

    init(_ root: String) {
        var left = Self.mostEntries
        visit(root, depth: 0, &left)
        isTruncated = left <= 0
    }

    private mutating func visit(_ folder: String, depth: Int, _ left: inout Int) {
        guard depth <= Self.deepest, let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            return
        }
        for name in names.sorted() where left > 0 {
            left -= 1
            let path = folder == "." ? name : folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
            // A symbolic link may lead out of the folder, or in a circle.
            let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
            if type == .typeDirectory {
                guard !Self.left.contains(name), !name.hasPrefix(".") || name == ".well-known" else { continue }
                visit(path, depth: depth + 1, &left)
            } else if type == .typeRegular, Self.names.contains(name) {
                files.append(path)
            }
        }
    }
}
