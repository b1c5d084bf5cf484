import Foundation
import PackagePlugin

/// Writes the version, the commit of the sources and its date into a source file of the target ThisBuild, before each build.
///
/// The date is the commit's and not the build's, so two builds of one commit are equal. A build outside of a repository, as
/// in a container or from an archive, is told with the environment variables SOURCE_VERSION, SOURCE_COMMIT and
/// SOURCE_DATE, or says what VERSION says, and `unknown`. A plus sign marks changes that are not committed.
@main
struct BuildStampPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let told = ProcessInfo.processInfo.environment.filter {
            ["PATH", "SOURCE_VERSION", "SOURCE_COMMIT", "SOURCE_DATE"].contains($0.key)
        }
        return [
            .prebuildCommand(
                displayName: "The commit of this build", executable: URL(filePath: "/bin/sh"),
                arguments: [
                    "-c", Self.script, "build-stamp", context.package.directoryURL.path(percentEncoded: false),
                    context.pluginWorkDirectoryURL.path(percentEncoded: false),
                ],
                environment: told, outputFilesDirectory: context.pluginWorkDirectoryURL)
        ]
    }

    /// Only a changed file is written, so that nothing is compiled for the same commit.
    private static let script = #"""
        cd "$1" || exit 1
        stamp=$(sh Plugins/build-stamp) || exit 1
        read -r version commit date <<END
        $stamp
        END
        text="extension ThisBuild {
            static var version: String { \"$version\" }
            static var commit: String { \"$commit\" }
            static var date: String { \"$date\" }
        }"
        file="$2/ThisBuild+Stamp.swift"
        [ "$(cat "$file" 2>/dev/null)" = "$text" ] || printf '%s\n' "$text" >"$file"
        """#
}
