import ArgumentParser
import Foundation
import SSOShared
import WellKnown

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Compare the server's files with the app: entitlements, profile, manifest, certificate.",
        discussion: """
            A link opens the app only when three places agree: the file on the server, what the app declares, and what \
            it is signed with. Give what you have, or the folder of the project; the files are fetched from the domain unless given. The table says what agrees, what does not, and what to do.

            Example: wellknown doctor example.com --aasa apple-app-site-association \
            --entitlements App.entitlements --profile embedded.mobileprovision

            Signatures of profiles and APKs are not verified. Exit codes: 0 healthy; 1 something differs, or a finding \
            at or above --fail-on; 2 a file could not be read, or nothing could be compared; 64 wrong usage.
            """)

    @Argument(help: "The domain of the links, or a link to it.") var domain: String

    @OptionGroup var sources: DoctorSources

    @Option(
        help: ArgumentHelp(
            "The app's .entitlements, those codesign prints, an .ipa, or Expo's app.json.", valueName: "file"),
        completion: .file()) var entitlements: String?

    @Option(
        help: ArgumentHelp("The provisioning profile: embedded.mobileprovision, or an .ipa.", valueName: "file"),
        completion: .file()) var profile: String?

    @Option(
        help: ArgumentHelp(
            "AndroidManifest.xml, best the merged one of a build, an .apk, an .aab, or Expo's app.json.",
            valueName: "file"), completion: .file()) var manifest: String?

    @Option(
        help: ArgumentHelp("What the Android app is signed with: APK, key store, PEM, DER.", valueName: "file"),
        completion: .file()) var cert: [String] = []

    @Option(
        help: ArgumentHelp("The file whose first line is the password of a key store.", valueName: "file"),
        completion: .file()) var passwordFile: String?

    @Option(
        help: ArgumentHelp(
            "The value of a placeholder of the build, such as DOMAIN=example.com for $(DOMAIN) and ${DOMAIN}; again for "
                + "more.", valueName: "name=value")) var define: [String] = []

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard Self.host(domain) != nil else {
            throw ValidationError(
                "'\(domain.printable)' is not a domain: write its name, as in example.com, or a link to it.")
        }
        _ = try PlaceholderValue.dictionary(define)
    }

    func run() async throws { try await CannotCheck.reporting { try await examine() } }

    /// The host of a domain, with umlauts too, or of a link.
    static func host(_ text: String) -> DomainName? {
        if let link = LinkURL(text), link.port == nil { return DomainName(link.host) }
        return DomainName(text) ?? InternationalDomain.ascii(text).flatMap(DomainName.init)
    }

    private func examine() async throws {
        guard let host = Self.host(domain) else { throw ExitCode(64) }
        let values = try PlaceholderValue.dictionary(define)
        var examination = sources.examination(of: host)
        do throws(ProjectFiles.ReadError) { try read(into: &examination, filling: values) } catch {
            throw CannotCheck("\(error)")
        }
        try await sources.ask(for: &examination)
        var report = examination.report()
        var list = try output.ignoring.list()
        report.findings = list.kept(report.findings, in: host.name).findings
        for remark in list.remarks { StandardOutput.reportError(remark) }
        StandardOutput.write(
            report.text(as: output.format, style: .ofStandardOutput, failOn: output.failOn, showsAll: output.all))
        let code = report.exitCode(failOn: output.failOn)
        if code != 0 { throw ExitCode(code) }
    }

    private func read(
        into examination: inout DoctorExamination, filling values: [String: String]
    ) throws(ProjectFiles.ReadError) {
        try sources.read(into: &examination, filling: values)
        if let entitlements { examination.entitlements = try ProjectFiles.entitlements(entitlements, filling: values) }
        if let profile { examination.profile = try ProjectFiles.profile(profile) }
        if let manifest { examination.manifest = try ProjectFiles.manifest(manifest, filling: values) }
        examination.names = DoctorNames(
            entitlements: entitlements, profile: profile, manifest: manifest, certificates: cert)
        for file in cert {
            examination.certificates += try DoctorFiles.certificates(file, password: PasswordSource(file: passwordFile))
        }
        // A finished build is signed. A build that is not yet signed has no certificate, and that is no error here.
        if cert.isEmpty, let manifest, ProjectFiles.isArchive(manifest),
            let own = try? DoctorFiles.certificates(manifest, password: PasswordSource(file: passwordFile))
        {
            examination.certificates = own
            examination.names.certificates = [manifest]
        }
        try sources.readReport(into: &examination)
    }
}
