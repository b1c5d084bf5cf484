import Foundation
import PackagePlugin

/// Writes the commit of the sources and its date into a source file of the target ThisBuild, before each build.
///
/// The date is the commit's and not the build's, so two builds of one commit are equal. A build outside of a repository, as
/// in a container or from an archive, is told with the environment variables SOURCE_COMMIT and SOURCE_DATE, or says
/// `unknown`. A plus sign marks changes that are not committed.
@main
struct BuildStampPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let told = ProcessInfo.processInfo.environment.filter {
            ["PATH", "SOURCE_COMMIT", "SOURCE_DATE"].contains($0.key)
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

    /// Only a changed file is written, so that nothing is compiled for the same commit. Values from the environment cannot end
    /// the string that they are in.
    private static let script = #"""
        cd "$1" || exit 1
        plain() { printf '%s' "$1" | tr -cd 'A-Za-z0-9.+-' | cut -c 1-40; }
        commit=$(plain "$SOURCE_COMMIT") date=$(plain "$SOURCE_DATE")
        # The repository of these sources, not one that they are a folder of.
        if [ -z "$commit" ] && [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ]; then
            commit=$(git rev-parse --short=12 HEAD 2>/dev/null)
            date=$(git show -s --format=%cs HEAD 2>/dev/null)
            [ -z "$(git status --porcelain --untracked-files=no 2>/dev/null)" ] || commit="$commit+"
        fi
        text="extension ThisBuild {
            static var commit: String { \"${commit:-unknown}\" }
            static var date: String { \"${date:-unknown}\" }
        }"
        file="$2/ThisBuild+Stamp.swift"
        [ "$(cat "$file" 2>/dev/null)" = "$text" ] || printf '%s\n' "$text" >"$file"
        """#
}
