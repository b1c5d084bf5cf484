import ArgumentParser
import Foundation
import WellKnown

struct FingerprintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fingerprint",
        abstract: "Print the certificate fingerprints of an APK, a key store or a certificate.",
        usage: "wellknown fingerprint [<options>] <file> ...",
        discussion: """
            Reads PEM, DER, PKCS#12, JKS, PKCS#7, signed APKs (schemes v1 to v3.1, rotated keys included) and app \
            bundles, by what they contain. The last line is ready to paste into assetlinks.json.

            Example: wellknown fingerprint app-release.apk

            Exit codes: 0 fine; 1 a certificate must not be used (--fail-on); 2 a file could not be read; 64 wrong \
            usage.
            """)

    @Argument(help: ArgumentHelp("Files to read; - is standard input.", valueName: "file"), completion: .file())
    var files: [String]

    @Option(
        help: ArgumentHelp("The file whose first line is the password of a key store.", valueName: "file"),
        completion: .file()) var passwordFile: String?

    @Option(help: "text or json.") var format: ReportFormat = .text

    @Option(help: "The severity from which on the exit code is 1: error, warning or info.")
    var failOn: FailThreshold = .error

    func run() throws {
        let source = PasswordSource(file: passwordFile)
        var reports: [FingerprintReport] = []
        var failures: [(file: String, fault: CertificateError)] = []
        for file in files {
            do throws(CertificateError) {
                let data = try CertificateFile.data(of: file)
                let reading = try CertificateFile.read(data) { () throws(CertificateError) in try source.read() }
                reports.append(FingerprintReport(file: file, reading: reading))
            } catch {
                failures.append((file, error))
            }
        }
        switch format {
        case .text: StandardOutput.write(reports.map(\.text).joined(separator: "\n"))
        case .json:
            let failed = failures.map { ["file": $0.file, "error": $0.fault.description] as JSONObject }
            StandardOutput.write(JSONOutput.text(["files": reports.map(\.encoded), "failures": failed]))
        }
        for failure in failures { StandardOutput.reportError("\(failure.file.printable): \(failure.fault)") }
        guard failures.isEmpty else { throw ExitCode(2) }
        let isBad = reports.contains { failOn.isReached(by: $0.findings) }
        if isBad { throw ExitCode(1) }
    }
}
