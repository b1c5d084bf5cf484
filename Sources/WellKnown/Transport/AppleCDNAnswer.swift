import SSOShared

/// The response of Apple's CDN for a domain.
///
/// Source: the headers of https://app-site-association.cdn-apple.com/a/v1/DOMAIN; Apple, TN3155.
public enum AppleCDNAnswer: Sendable {
    /// The copy that devices get. `age` and `maxAge` are in seconds.
    case copy(body: [UInt8], from: String?, age: Int?, maxAge: Int?)
    /// The CDN could not get the file. `secondsLeft` is the time until its next attempt.
    case failure(AppleCDNFailure, secondsLeft: Int?)
    /// The CDN does not know the domain.
    case unknown(status: Int)
    case unreachable(HTTPFetchError)

    public init(_ outcome: HTTPOutcome) {
        switch outcome {
        case .failure(let failure): self = .unreachable(failure)
        case .success(let answer):
            let age = answer["age"].flatMap { Self.seconds($0) }
            let maxAge = answer["cache-control"].flatMap(Self.maxAge)
            if let reason = answer["apple-failure-reason"] {
                let failure = AppleCDNFailure(
                    reason, details: answer["apple-failure-details"], tryDirect: answer["apple-try-direct"])
                let left = maxAge.map { max(0, $0 - min($0, age ?? 0)) }
                self = .failure(failure, secondsLeft: left)
            } else if answer.status == 200 {
                self = .copy(body: answer.body, from: answer["apple-from"], age: age, maxAge: maxAge)
            } else if answer.status == 404 || answer.status == 405 {
                self = .unknown(status: answer.status)
            } else {
                self = .unreachable(.malformed("status \(answer.status)"))
            }
        }
    }

    /// The seconds until the CDN asks the site again. `nil` if it does not say.
    public var secondsLeft: Int? {
        switch self {
        case .copy(_, _, let age, let maxAge): maxAge.map { max(0, $0 - min($0, age ?? 0)) }
        case .failure(_, let seconds): seconds
        case .unknown, .unreachable: nil
        }
    }

    /// - Parameters:
    ///   - origin: the file as the site itself serves it. `nil` if the site does not serve it, or was not requested.
    ///   - host: the site's host, for the addresses in the findings.
    ///   - expiry: the time at which the copy expires, as text. `nil` if it is unknown.
    public func findings(
        origin: [UInt8]?, url: String, host: String = "example.com", expiry: String? = nil
    ) -> [Finding] {
        let findings: [Finding]
        switch self {
        case .copy(let body, _, let age, _):
            findings = Self.drift(body, origin: origin, age: age, host: host, expiry: expiry)
        case .failure(let failure, let left):
            var list = [Finding(TransportRules.cdnFailure, "\(failure.words).")]
            if let left, left > 0 {
                list.append(Finding(TransportRules.cdnNegativeCached, "The failure is cached for \(left) s more."))
            }
            findings = list
        case .unknown(let status):
            findings = [Finding(TransportRules.cdnUnknown, "Apple's CDN answers \(status), and gives no reason.")]
        case .unreachable(let failure):
            findings = [Finding(TransportRules.cdnUnreachable, "Apple's CDN could not be asked: \(failure.words).")]
        }
        return findings.of(url)
    }

    /// Apple serialises the file again, so only values can be compared, not bytes.
    private static func drift(_ copy: [UInt8], origin: [UInt8]?, age: Int?, host: String, expiry: String?) -> [Finding]
    {
        guard let origin else { return [] }
        let (theirs, ours) = (JSONReader.read(copy), JSONReader.read(origin))
        if let left = theirs.root, let right = ours.root, left == right { return [] }
        let old = age.map { ", fetched \($0) s ago," } ?? ""
        let end = expiry.map { " It expires at \($0)." } ?? ""
        let what =
            if let apple = AASAFile(theirs), let site = AASAFile(ours) {
                "is another version: "
                    + CDNDrift.words(LinkDiff.between(AppleMatcher(apple), AppleMatcher(site)), host: host)
            } else {
                "differs, and one of the two is not an association file"
            }
        return [Finding(TransportRules.cdnDrift, "Apple's copy\(old) \(what).\(end)")]
    }

    /// Parses digits. Returns `nil` for implausible numbers.
    private static func seconds(_ text: some StringProtocol) -> Int? {
        guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int(text)
    }

    private static func maxAge(_ value: String) -> Int? {
        let parts = value.lowercased().split(separator: ",").map { $0.drop { $0 == " " } }
        let part = parts.first { $0.hasPrefix("max-age=") }
        return part.flatMap { seconds($0.dropFirst("max-age=".count).prefix { $0 != " " }) }
    }
}

/// `Apple-Failure-Reason` and `Apple-Failure-Details`, decoded.
public struct AppleCDNFailure: Sendable, Hashable {
    /// The code, for example `SWCERR00101`. Empty if the reason does not begin with a code.
    public let code: String
    /// The rest of the reason.
    public let reason: String
    /// `Apple-Failure-Details`: JSON as sent.
    public let details: String?
    /// Whether devices should request the file from the site itself, or `nil` if that is not known.
    public let triesDirect: Bool?

    init(_ text: String, details: String?, tryDirect: String?) {
        let word = text.prefix { $0 != " " }
        let isCode = word.hasPrefix("SWCERR")
        code = isCode ? String(word) : ""
        reason = isCode ? String(text.dropFirst(word.count).drop { $0 == " " }) : text
        self.details = details
        triesDirect = tryDirect.flatMap { ["true": true, "false": false][$0.lowercased()] }
    }

    /// The recommended fix for the owner of the site. `nil` for a code without a known explanation.
    public var meaning: String? { Self.meaning(ofCode: code) }

    /// The same for a code alone, as devices record it.
    public static func meaning(ofCode code: String) -> String? {
        switch code {
        case "SWCERR00101": "the site answered Apple with another status than 200"
        case "SWCERR00202": "DNS gives Apple a private or reserved address"
        case "SWCERR00301": "the site did not answer Apple in time"
        case "SWCERR00401": "what the site sent is not JSON for Apple's parser"
        default: nil
        }
    }

    var words: String {
        var text = code.isEmpty ? reason.quoted : "\(code) \(reason.isEmpty ? "" : reason.quoted)"
        if let meaning { text += ": \(meaning)" }
        if let details, !details.isEmpty, details != "{}" { text += "; details \(details.quoted)" }
        if triesDirect == true { text += "; devices may ask the site themselves" }
        return text
    }
}

/// Describes in one line which links work differently with Apple's copy and with the site's file.
enum CDNDrift {
    /// The maximum number of URLs in a message.
    private static let most = 3

    static func words(_ diff: LinkDiff, host: String) -> String {
        if diff.isEmpty { return "no link is decided differently" }
        var parts = diff.addedApps.prefix(most).map { "\($0.quoted) is new on the site" }
        parts += diff.removedApps.prefix(most).map { "\($0.quoted) is at Apple only" }
        parts += diff.changes.prefix(most).map { change in
            "\(change.witness.text(host: host)) for \(change.app) is \u{201c}\(change.old.rawValue)\u{201d} at Apple, "
                + "\u{201c}\(change.new.rawValue)\u{201d} on the site"
        }
        if !diff.notDecided.isEmpty { parts.append("\(diff.notDecided.count) apps have too many rules to compare") }
        let rest = max(0, diff.changes.count - most)
        return parts.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
    }
}
