import SSOShared

/// Checks how a file is served. A pure function of the observation.
///
/// Sources: see ``TransportRules``.
public enum TransportLint {
    /// The findings about one file, the most important cause first, without consequences of a reported cause.
    public static func findings(_ seen: OriginObservation) -> [Finding] {
        var findings: [Finding] = []
        let blocked = seen.browser.flatMap { botFinding(seen.main, $0, seen.file) }
        switch seen.main {
        case .success(let answer) where answer.status == 200: findings += BodyTransportLint.findings(answer, seen)
        // What the refused fetcher gets instead is no second cause.
        case _ where blocked != nil: break
        case .success(let answer): findings += answered(answer, seen)
        case .failure(let failure): findings.append(failed(failure, seen))
        }
        if let blocked { findings.append(blocked) }
        findings += compared(seen)
        findings += SiteLint.findings(seen)
        return findings.of(seen.url)
    }

    /// Reports a file whose URL is not the one that systems request.
    public static func placeFinding(path: String, file: AssociationKind) -> Finding? {
        let path = String(path.prefix { $0 != "?" })
        guard path != file.path else { return nil }
        if file == .aasa, path == "/" + file.fileName {
            return Finding(TransportRules.locationRoot, "The file is at \(path); Apple asks for \(file.path).")
        }
        return Finding(TransportRules.wrongName, "The file is at \(path.quoted); \(file.path) is asked for.")
    }

    /// Reports a file whose name is almost right, for example from a second download or with an extra extension. Any
    /// other name is treated as an intentional copy.
    public static func nameFinding(fileName: String, file: AssociationKind) -> Finding? {
        let name = fileName.split(separator: "/").last.map(String.init) ?? fileName
        let stem = String(file.fileName.prefix { $0 != "." })
        let slips = [".", "_", " ", " (1)", " (2)", " copy", "-1", "s"].flatMap { ["\($0)\(stem)", "\(stem)\($0)"] }
        let endings = ["", ".json", ".txt", ".json.txt", ".json.json", ".html"]
        let near = Set((slips + [stem]).flatMap { slip in endings.map { slip + $0 } }).subtracting([file.fileName])
        let isOtherwiseWritten = name.lowercased() == file.fileName && name != file.fileName
        let isMistyped = SpellingSuggestion.of(String(name.prefix { $0 != "." }), among: [stem]) != nil
        guard near.contains(name.lowercased()) || isOtherwiseWritten || isMistyped else { return nil }
        return Finding(
            TransportRules.wrongName, "The file is called \(name.quoted); \(file.fileName.quoted) is asked for.",
            severity: .info,
            reason: "A server may send the file under its right name. If it does not, no system finds it.",
            file: fileName)
    }

    private static func failed(_ failure: HTTPFetchError, _ seen: OriginObservation) -> Finding {
        switch failure {
        case .privateAddress(let addresses):
            return Finding(
                TransportRules.privateAddress, "The host is at \(addresses.joined(separator: ", ")): it was not asked.")
        case .timedOut(let limit):
            let isTwice = seen.first != nil ? ", twice" : ""
            return Finding(TransportRules.timeout, "No complete answer within \(limit) ms\(isTwice).")
        case .certificate(let text): return Finding(TransportRules.tls, "The certificate is refused: \(text).")
        case .tls(let text), .notConnected(let text):
            if case .success(let answer) = seen.plain, answer.status == 200 {
                return Finding(TransportRules.plain, "https fails (\(text)); http has an answer.")
            }
            if case .tls = failure { return Finding(TransportRules.tls, "The TLS connection fails: \(text).") }
            return Finding(TransportRules.unreachable, "No connection: \(text).")
        case .noSuchHost, .noRoute, .malformed, .impossible:
            return Finding(TransportRules.unreachable, "The site gives no answer: \(failure.words).")
        }
    }

    private static func answered(_ answer: HTTPAnswer, _ seen: OriginObservation) -> [Finding] {
        if answer.isRedirect {
            var findings = seen.hops.map { hop in
                Finding(TransportRules.redirect, "The file redirects (\(hop.status)): \(hop.from) → \(hop.to)")
            }
            if findings.isEmpty {
                findings = [
                    Finding(TransportRules.redirect, "The file redirects (\(answer.status)), to no usable address.")
                ]
            }
            if let login = seen.hops.first(where: { looksLikeLogin($0.to) }) {
                findings.append(Finding(TransportRules.geoOrAuth, "The file sends to a login: \(login.to)"))
            }
            return findings
        }
        let wantsLogin = [401, 407].contains(answer.status) || answer["www-authenticate"] != nil
        if wantsLogin || answer.status == 451 {
            let why = wantsLogin ? "it asks for a login" : "it is refused for legal reasons, often by country"
            return [Finding(TransportRules.geoOrAuth, "The file answers \(answer.status): \(why).")]
        }
        return [Finding(TransportRules.status, "The file answers \(answer.status); only 200 counts.")]
    }

    private static func looksLikeLogin(_ url: String) -> Bool {
        let words = url.lowercased().split { !$0.isLetter && $0 != "-" }
        return words.contains { ["login", "log-in", "signin", "sign-in", "sso", "oauth", "auth", "saml"].contains($0) }
    }

    private static func compared(_ seen: OriginObservation) -> [Finding] {
        var findings: [Finding] = []
        if case .success(let get) = seen.main, case .success(let head) = seen.head, get.status != head.status {
            findings.append(Finding(TransportRules.headOnly, "GET answers \(get.status), HEAD answers \(head.status)."))
        }
        if let four = seen.overIPv4, let six = seen.overIPv6, let difference = familyDifference(four, six) {
            findings.append(Finding(TransportRules.ipv6Differs, difference))
        }
        return findings
    }

    /// Reports that the system's fetcher is refused where a browser is not. The opposite case does no harm. A time-out
    /// or an error of the server is not a refusal: the next request of any client may succeed.
    private static func botFinding(_ main: HTTPOutcome, _ browser: HTTPOutcome, _ file: AssociationKind) -> Finding? {
        guard case .success(let seen) = browser, seen.status == 200 else { return nil }
        let agent = file.userAgent
        switch main {
        case .failure(.notConnected):
            return Finding(TransportRules.botBlocked, "A browser gets the file; \(agent)'s connection is refused.")
        case .failure: return nil
        case .success(let answer) where [500, 502, 504].contains(answer.status): return nil
        case .success(let answer) where answer.status != 200:
            return Finding(TransportRules.botBlocked, "A browser gets the file; \(agent) gets status \(answer.status).")
        case .success(let answer):
            guard !isGzip(answer.body), !sameContent(answer.body, seen.body) else { return nil }
            return Finding(TransportRules.botBlocked, "\(agent) gets another body than a browser.")
        }
    }

    private static func familyDifference(_ four: HTTPOutcome, _ six: HTTPOutcome) -> String? {
        switch (four, six) {
        case (.success(let a), .success(let b)):
            if a.status != b.status { return "IPv4 answers \(a.status), IPv6 answers \(b.status)." }
            return sameContent(a.body, b.body) ? nil : "IPv4 and IPv6 answer with different bodies."
        case (.success, .failure(let failure)): return missing(failure) ? nil : "IPv6 fails: \(failure.words)."
        case (.failure(let failure), .success): return missing(failure) ? nil : "IPv4 fails: \(failure.words)."
        case (.failure, .failure): return nil
        }
    }

    /// Whether an address family is missing on the host or on this machine. That does not count as a difference.
    private static func missing(_ failure: HTTPFetchError) -> Bool {
        switch failure {
        case .noSuchHost, .noRoute, .impossible: true
        default: false
        }
    }

    /// Whether two bodies are equal as JSON values, or byte by byte if one of them is not JSON.
    static func sameContent(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        if left == right { return true }
        guard let a = JSONReader.read(left).root, let b = JSONReader.read(right).root else { return false }
        return a == b
    }

    static func isGzip(_ body: [UInt8]) -> Bool { body.starts(with: [0x1f, 0x8b]) }
}

/// Checks the type, size and encoding of a response with status 200.
enum BodyTransportLint {
    static func findings(_ answer: HTTPAnswer, _ seen: OriginObservation) -> [Finding] {
        [type(answer, seen.file), size(answer, seen.file), encoding(answer, seen)].compactMap(\.self)
    }

    private static func type(_ answer: HTTPAnswer, _ file: AssociationKind) -> Finding? {
        // A page has a finding about its body. Its type belongs to the page.
        if !answer.isTruncated, case .html = BodyForm.of(answer.body) { return nil }
        // Apple accepts any type. Google's service and Android's documentation require application/json.
        let severity: Severity = file == .aasa ? .warning : .error
        guard let value = answer["content-type"], let type = answer.mediaType, !type.isEmpty else {
            return Finding(
                TransportRules.contentType, "There is no content type; application/json is expected.",
                severity: severity)
        }
        if type == "text/html" || type == "application/xhtml+xml" {
            return Finding(TransportRules.contentTypeHTML, "The content type is \(value.quoted).")
        }
        guard type == "application/json" else {
            return Finding(
                TransportRules.contentType, "The content type is \(value.quoted), not application/json.",
                severity: severity)
        }
        guard file == .assetlinks, value.contains(";") else { return nil }
        return Finding(TransportRules.contentTypeParameters, "The content type is \(value.quoted).")
    }

    private static func size(_ answer: HTTPAnswer, _ file: AssociationKind) -> Finding? {
        let count = answer.body.count
        if count > file.maximumBytes || answer.isTruncated {
            let shown = answer.isTruncated ? "more than \(count - 1)" : "\(count)"
            return Finding(TransportRules.tooLarge, "The file has \(shown) bytes; \(file.maximumBytes) are read.")
        }
        guard count > file.maximumBytes / 4 * 3 else { return nil }
        return Finding(TransportRules.nearLimit, "The file has \(count) of \(file.maximumBytes) bytes.")
    }

    private static func encoding(_ answer: HTTPAnswer, _ seen: OriginObservation) -> Finding? {
        let encoding = answer["content-encoding"].map { $0.lowercased() } ?? "identity"
        if encoding != "identity" {
            return Finding(
                TransportRules.encoding, "The body is \(encoding), though the request did not ask for compression.")
        }
        if TransportLint.isGzip(answer.body) {
            return Finding(
                TransportRules.encoding, "The body is gzip, and no Content-Encoding says so.", severity: .error)
        }
        if case .failure(.malformed(let text)) = seen.browser {
            return Finding(TransportRules.encoding, "The compressed answer cannot be read: \(text).")
        }
        return nil
    }
}
