import Foundation

/// Finds the files of an app's project that concern links.
///
/// Folders of dependencies and of builds are left out: what they contain is not the project's own.
struct ProjectFolder {
    enum Kind: String, Sendable, CaseIterable {
        case manifest = "Android manifest"
        case gradle = "Gradle module"
        case strings = "Android resources"
        case entitlements = "entitlements"
        case xcode = "Xcode project"
        case settings = "Xcode settings"
        case expo = "Expo configuration"
        case pubspec = "Flutter project"
        case reactNative = "React Native project"
    }

    struct Item: Sendable, Hashable {
        /// The path below the folder.
        let path: String
        let kind: Kind
    }

    let root: String
    /// The files in the order of their paths.
    let items: [Item]
    /// Whether the folder has more files than are looked at.
    let isTruncated: Bool

    private static let left: Set<String> = [
        "node_modules", "Pods", "build", "Build", "DerivedData", "Carthage", "dist", "vendor", "xcuserdata", "target",
    ]
    private static let mostEntries = 50_000
    private static let deepest = 10

    /// - Throws: ``InputError`` if the folder cannot be read.
    init(_ root: String) throws(InputError) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: root, isDirectory: &isFolder), isFolder.boolValue else {
            throw InputError(description: "cannot read the project \(root.printable): it is not a folder")
        }
        self.root = root
        var items: [Item] = []
        var left = Self.mostEntries
        Self.visit(root, "", depth: 0, &left, &items)
        self.items = items.sorted { $0.path < $1.path }
        isTruncated = left <= 0
    }

    func paths(_ kind: Kind) -> [String] { items.filter { $0.kind == kind }.map(\.path) }

    /// The path for opening a file.
    func full(_ path: String) -> String { root.hasSuffix("/") ? root + path : "\(root)/\(path)" }

    private static func visit(_ root: String, _ below: String, depth: Int, _ left: inout Int, _ items: inout [Item]) {
        let folder = below.isEmpty ? root : "\(root)/\(below)"
        guard depth <= deepest, let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return }
        for name in names.sorted() where left > 0 {
            left -= 1
            let path = below.isEmpty ? name : "\(below)/\(name)"
            // A symbolic link may lead out of the project, or in a circle.
            let type = try? FileManager.default.attributesOfItem(atPath: "\(root)/\(path)")[.type] as? FileAttributeType
            if type == .typeDirectory {
                guard !Self.left.contains(name), !name.hasPrefix(".") else { continue }
                visit(root, path, depth: depth + 1, &left, &items)
            } else if type == .typeRegular, let kind = kind(of: path, name) {
                items.append(Item(path: path, kind: kind))
            }
        }
    }

    private static func kind(of path: String, _ name: String) -> Kind? {
        switch name {
        case "AndroidManifest.xml":
            // The manifests of variants such as src/debug are merged into the main one.
            let parts = path.split(separator: "/")
            let isVariant = parts.count >= 3 && parts[parts.count - 3] == "src" && parts[parts.count - 2] != "main"
            return isVariant ? nil : .manifest
        case "build.gradle", "build.gradle.kts": return .gradle
        case "strings.xml": return path.hasSuffix("res/values/strings.xml") ? .strings : nil
        case "project.pbxproj": return .xcode
        case "app.json", "app.config.json": return .expo
        case "pubspec.yaml": return .pubspec
        case "react-native.config.js", "metro.config.js": return .reactNative
        default:
            if name.hasSuffix(".entitlements") { return .entitlements }
            return name.hasSuffix(".xcconfig") ? .settings : nil
        }
    }
}
