import Foundation
import WellKnown

/// Finds both files below a folder, in every place where projects keep them.
struct AssociationFolder {
    /// The paths of the files, beginning with the folder's, in order.
    let files: [String]
    let isTruncated: Bool

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
        let walk = FolderWalk(root, deepest: 12, mostEntries: 10_000) { name in
            !Self.left.contains(name) && (!name.hasPrefix(".") || name == ".well-known")
        } takes: { path in
            Self.names.contains { path == $0 || path.hasSuffix("/" + $0) }
        }
        let start = root == "." ? "" : root.hasSuffix("/") ? root : root + "/"
        files = walk.paths.map { start + $0 }
        isTruncated = walk.isTruncated
    }
}
