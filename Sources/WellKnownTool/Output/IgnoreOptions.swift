import ArgumentParser
import Foundation
import WellKnown

struct IgnoreOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Leave findings of this code out; again for more.", valueName: "code"))
    var ignore: [String] = []

    @Option(
        help: ArgumentHelp("The file with accepted findings, instead of .wellknown.yaml.", valueName: "file"),
        completion: .file()) var config: String?

    func validate() throws {
        for code in ignore {
            if let unknown = IgnoreList.unknown(code) { throw ValidationError("--ignore: \(unknown)") }
        }
    }

    /// - Throws: `ExitCode` 64 after a message for each error of the file.
    func list() throws -> IgnoreList {
        let name = config ?? IgnoreFile.standardName
        guard config != nil || FileManager.default.fileExists(atPath: name) else { return IgnoreList(codes: ignore) }
        do { return try IgnoreList(codes: ignore, file: IgnoreFile(reading: name)) } catch {
            for line in error.lines { StandardOutput.reportError(line) }
            throw ExitCode(64)
        }
    }
}
