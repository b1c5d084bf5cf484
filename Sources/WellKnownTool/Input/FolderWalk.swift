import Foundation

/// The files below a folder, in the order of their names.
///
/// Symbolic links are left out: they may lead out of the folder, or in a circle.
struct FolderWalk {
    /// The paths from the folder on.
    private(set) var paths: [String] = []
    /// The number of entries that may still be looked at.
    private var left: Int

    private let root: String
    private let deepest: Int
    private let enters: (String) -> Bool
    private let takes: (String) -> Bool

    /// Whether the folder has more entries than are looked at.
    var isTruncated: Bool { left <= 0 }

    /// - Parameters:
    ///   - enters: whether a folder of this name is looked into.
    ///   - takes: whether the file at this path belongs to the result.
    init(
        _ root: String, deepest: Int, mostEntries: Int, enters: @escaping (String) -> Bool,
        takes: @escaping (String) -> Bool
    ) {
        (self.root, self.deepest, self.enters, self.takes) = (root, deepest, enters, takes)
        left = mostEntries
        visit("", depth: 0)
    }

    private mutating func visit(_ folder: String, depth: Int) {
        guard depth <= deepest, let names = try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)")
        else { return }
        for name in names.sorted() where left > 0 {
            left -= 1
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            let type = try? FileManager.default.attributesOfItem(atPath: "\(root)/\(path)")[.type] as? FileAttributeType
            if type == .typeDirectory, enters(name) { visit(path, depth: depth + 1) }
            if type == .typeRegular, takes(path) { paths.append(path) }
        }
    }
}
