import ArgumentParser
import Foundation
import WellKnown

/// What `doctor` and `why` look at: the options that name it, and how it is read.
struct DoctorSources: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder of the app's project: finds the manifest with its Gradle values, the entitlements with their Xcode "
                + "settings, Expo's configuration, and the team in fastlane's Appfile.", valueName: "folder"),
        completion: .directory) var project: String?

    @Option(
        help: ArgumentHelp(
            "What a phone says: the output of adb shell pm get-app-links, or swcutil_show.txt of a sysdiagnose.",
            valueName: "file"), completion: .file()) var deviceReport: String?

    @Option(
        help: ArgumentHelp("This apple-app-site-association instead of the server's.", valueName: "file"),
        completion: .file()) var aasa: String?

    @Option(help: ArgumentHelp("This assetlinks.json instead of the server's.", valueName: "file"), completion: .file())
    var assetlinks: String?

    @Option(help: ArgumentHelp("The iOS app: PREFIX.bundle.id.", valueName: "id")) var app: String?

    @Option(help: ArgumentHelp("The Android app's package name.", valueName: "name")) var package: String?

    @Flag(help: "Ask no server: compare only what is given.") var offline = false

    @OptionGroup(title: "Network options") var services: ServiceOptions
    @OptionGroup(title: "Network options") var network: NetworkOptions

    func validate() throws {
        guard let app else { return }
        do throws(AssociationError) { _ = try AppleAppID(app) } catch {
            throw ValidationError("--app: \(error). It is written as in the file: PREFIX.bundle.id.")
        }
    }

    func examination(of host: DomainName) -> DoctorExamination {
        var examination = DoctorExamination(host: host, app: app, package: package, now: Date())
        examination.isOffline = offline
        return examination
    }

    /// Reads the files of the server that are given, and the project.
    ///
    /// - Parameter values: the values of the project's placeholders.
    func read(
        into examination: inout DoctorExamination, filling values: [String: String] = [:]
    ) throws(ProjectFiles.ReadError) {
        if let aasa { examination.aasa = (aasa, try ProjectFiles.bytes(aasa)) }
        if let assetlinks { examination.assetlinks = (assetlinks, try ProjectFiles.bytes(assetlinks)) }
        guard let project else { return }
        let reading = ProjectReading(try ProjectFolder(project), defined: values)
        examination.project = reading
        examination.notes += reading.notes
    }

    /// Reads what a phone says. It completes what the other files say, so it comes last.
    func readReport(into examination: inout DoctorExamination) throws(ProjectFiles.ReadError) {
        if let deviceReport { examination.take(try ProjectFiles.device(deviceReport)) }
    }

    /// Asks the server and the services.
    ///
    /// - Parameter most: the seconds for each request, if fewer than the options say.
    func ask(for examination: inout DoctorExamination, most: Double = .infinity) async throws {
        guard !offline else { return }
        var network = network
        network.timeLimit = min(network.timeLimit, most)
        let client = try network.client()
        await examination.fetch(with: client)
        if let target = FetchTarget(examination.host.name) { await examination.ask(services.probe(client, target)) }
    }
}
