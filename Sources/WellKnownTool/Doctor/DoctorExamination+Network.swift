import WellKnown

/// The files from the server, where none was given.
extension DoctorExamination {
    private static let aasaPath = "/.well-known/apple-app-site-association"

    /// Asks for the files of the systems in question, as a phone does. What does not come is a line of the table.
    mutating func fetch(with client: WebClient) async {
        let platforms = platforms
        if platforms.contains(.ios), aasa == nil { aasa = await file(Self.aasaPath, .ios, client) }
        if platforms.contains(.android), assetlinks == nil {
            assetlinks = await file(AssetLinks.path, .android, client)
        }
    }

    private mutating func file(
        _ path: String, _ platform: DoctorLine.Platform, _ client: WebClient
    ) async -> (place: String, body: [UInt8])? {
        let url = "https://\(host.name)\(path)"
        var request = WebRequest(url: url)
        request.allowsPrivate = client.settings.allowsPrivate
        let found: String
        switch await client.ask(request) {
        case .success(let answer) where answer.status == 200 && !answer.isTruncated: return (url, answer.body)
        case .success(let answer) where answer.isTruncated: found = "more than \(client.settings.largestBody) bytes"
        case .success(let answer) where answer.isRedirect:
            found = "status \(answer.status), to \(answer["location"] ?? "nowhere")"
        case .success(let answer): found = "status \(answer.status)"
        case .failure(let failure):
            unserved.append(line(platform, url, failure.words, .notChecked))
            return nil
        }
        unserved.append(line(platform, url, found, .differs))
        return nil
    }

    /// A server that answers wrongly answers phones wrongly; one that cannot be reached from here proves nothing.
    private func line(
        _ platform: DoctorLine.Platform, _ url: String, _ found: String, _ verdict: DoctorLine.Verdict
    ) -> DoctorLine {
        DoctorLine(
            platform, DoctorLine.file, .init("domain", host.name), .init(url, found), verdict,
            verdict == .differs
                ? "Serve it with status 200 at exactly this address: wellknown fetch \(host.name) shows every step."
                : "Give the file with --\(platform == .ios ? "aasa" : "assetlinks") FILE, or see: wellknown fetch \(host.name)"
        )
    }
}
