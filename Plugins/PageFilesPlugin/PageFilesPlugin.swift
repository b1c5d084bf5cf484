import Foundation
import PackagePlugin

/// Compiles the templates, texts, styles, scripts and pictures in the folder of a target into it, as `PageFiles.FOLDER`.
///
/// A new file is found by itself. Plugins/page-files writes the source file, again after each change of one of them.
@main
struct PageFilesPlugin: BuildToolPlugin {
    private static let endings: Set = ["css", "js", "json", "mustache", "png", "svg"]

    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target.sourceModule else { return [] }
        let files = target.sourceFiles.map(\.url).filter { Self.endings.contains($0.pathExtension) }
            .sorted { $0.path < $1.path }
        let script = context.package.directoryURL.appending(path: "Plugins/page-files")
        let output = context.pluginWorkDirectoryURL.appending(path: "PageFiles+\(target.moduleName).swift")
        return [
            .buildCommand(
                displayName: "The page files of \(target.moduleName)", executable: URL(filePath: "/bin/sh"),
                arguments: [script, output].map { $0.path(percentEncoded: false) }
                    + [target.moduleName, Self.property(target.directoryURL.lastPathComponent)]
                    + files.map { $0.path(percentEncoded: false) },
                inputFiles: [script] + files, outputFiles: [output])
        ]
    }

    /// `PageFiles.signIn` for the folder `SignIn`, `PageFiles.web` for `SSOWeb`, and `PageFiles.oidc` for `OIDC`.
    private static func property(_ folder: String) -> String {
        guard folder != folder.uppercased() else { return folder.lowercased() }
        let name = folder.hasPrefix("SSO") ? folder.dropFirst(3) : folder[...]
        return name.prefix(1).lowercased() + name.dropFirst()
    }
}
