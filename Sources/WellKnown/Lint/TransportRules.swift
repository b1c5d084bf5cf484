/// The rules about how the files are served, and about the answers of Apple's CDN and of Google's service: codes
/// `http.*`, `cdn.*`, `dal.error`.
///
/// Sources: Apple, "Supporting associated domains", TN3155 and the App Search Programming Guide; Google, "Verify
/// Android App Links" and the Digital Asset Links API; AOSP StatementService; the headers of Apple's CDN.
public enum TransportRules {
    public static let rules: [LintRule] = [
        status, redirect, plain, tls, privateAddress, timeout, unreachable, contentTypeHTML, contentType,
        contentTypeParameters, botBlocked, geoOrAuth, encoding, ipv6Differs, headOnly, wwwVersusApex, tooLarge,
        nearLimit,
        locationRoot, wrongName, cdnDrift, cdnFailure, cdnNegativeCached, cdnUnknown, cdnUnreachable, dalError,
        dalDrift,
        dalNotLinked, dalUnreachable, dalIncludeFailed,
    ]

    private static let apple = "Apple, \"Supporting associated domains\""
    private static let technote = "Apple, TN3155 \"Debugging universal links\""
    private static let google = "Google, \"Verify Android App Links\""
    private static let api = "Google, Digital Asset Links API, ErrorCode"

    static let status = LintRule(
        "http.status", .error, "The file does not answer 200",
        reason:
            "Apple's CDN stores a failure (SWCERR00101) and Android takes the list for empty: no link opens the app.",
        fix: "Serve the file with status 200, to everybody, without a login.", source: "\(apple); \(google)")
    static let redirect = LintRule(
        "http.redirect", .error, "The file redirects",
        reason: "Neither Apple nor Android follows redirects; a browser does, so it looks fine there.",
        fix: "Serve the file under the very host, without redirects to www, to a locale or to a trailing slash.",
        source: "\(apple); \(google)")
    static let plain = LintRule(
        "http.plain", .error, "The file is served over http only",
        reason: "Both systems fetch it over https only.", fix: "Serve the host over https with a valid certificate.",
        source: "\(apple); \(google)")
    static let tls = LintRule(
        "http.tls", .error, "The certificate is not trusted",
        reason: "The fetch fails before the file is asked for; certificates of one's own authority do not count.",
        fix: "Install a certificate of a public authority for this host, with its whole chain.",
        source: "\(apple); \(api)")
    static let privateAddress = LintRule(
        "http.private-address", .error, "The host resolves to a private or reserved address",
        reason: "Apple's CDN refuses it (SWCERR00202), and nobody outside your network can verify the links.",
        fix: "Publish a public address for the host. To look anyway, fetch with --allow-private.", source: technote)
    static let timeout = LintRule(
        "http.timeout", .error, "No complete answer in time",
        reason: "The fetch is given up (SWCERR00301) and the failure is cached for half an hour or longer.",
        fix: "Serve the file from memory or a cache, and keep firewalls from dropping the connection.",
        source: "AOSP StatementService, five seconds; \(technote)")
    static let unreachable = LintRule(
        "http.unreachable", .error, "The host cannot be reached",
        reason: "Whoever cannot fetch the file has no links.",
        fix: "Check the name, its DNS entries and the server; and that this machine is online.", source: technote)
    static let contentTypeHTML = LintRule(
        "http.content-type-html", .error, "The file is served as text/html",
        reason: "Nearly always it is a fallback, login or challenge page instead of the file.",
        fix: "Serve the file itself, as application/json, before any catch-all route.", source: "\(apple); \(google)")
    static let contentType = LintRule(
        "http.content-type", .warning, "The content type is not application/json",
        reason: "Google and Android refuse assetlinks.json then; Apple takes application/octet-stream, too.",
        fix: "Serve the file as application/json.", source: google)
    static let contentTypeParameters = LintRule(
        "http.content-type-params", .info, "The content type has parameters",
        reason: "Older versions of Firefox compared the whole value and refused the list.",
        fix: "Serve it as application/json alone: JSON is always UTF-8.",
        source: "Mozilla, android-components, StatementApi")
    static let botBlocked = LintRule(
        "http.bot-blocked", .error, "The systems' fetcher gets another answer than a browser",
        reason: "A firewall or bot rule blocks Apple's or Google's fetcher, while every test in a browser passes.",
        fix: "Let the user agents AASA-Bot, CFNetwork and GoogleAssociationService through for /.well-known/.",
        source: "Apple, \"Associating your App Clip with your website\"")
    static let geoOrAuth = LintRule(
        "http.geo-or-auth", .error, "The file needs a login, or is not served everywhere",
        reason: "The services fetch it from their own network, without a login: they never get it.",
        fix: "Exempt /.well-known/ from login, VPN and country rules.", source: technote)
    static let encoding = LintRule(
        "http.encoding", .warning, "The encoding of the body and its headers disagree",
        reason: "A reader that does not unpack it sees binary, and no file.",
        fix: "Send Content-Encoding when the body is compressed, and compress only for those who ask.",
        source: "RFC 9110 section 8.4")
    static let ipv6Differs = LintRule(
        "http.ipv6-differs", .warning, "IPv4 and IPv6 answer differently",
        reason: "Verification fails now and then, for whoever takes the broken way.",
        fix: "Serve the same file on both, or remove the AAAA record.", source: technote)
    static let headOnly = LintRule(
        "http.head-only", .info, "HEAD and GET answer differently",
        reason: "A monitor that asks with HEAD shows something else than what the systems get.",
        fix: "Answer HEAD as GET, without the body.", source: "RFC 9110 section 9.3.2")
    static let wwwVersusApex = LintRule(
        "http.www-vs-apex", .warning, "Only one of the host and its www. sibling has the file",
        reason: "Each host needs a file of its own: links to the other one stay in the browser.",
        fix: "Serve the file, without redirects, on both hosts, and name both in the app.", source: apple)
    static let tooLarge = LintRule(
        "http.too-large", .error, "The file is too large",
        reason: "Older iOS drops a file over 128 KiB, Android's verifier one over 1 MiB: all links at once.",
        fix: "Shorten it: wildcards instead of lists of pages, one entry for several apps.",
        source: "Apple, App Search Programming Guide; AOSP StatementService")
    static let nearLimit = LintRule(
        "http.near-limit", .warning, "The file is close to its largest size",
        reason: "A little growth later breaks all links at once.", fix: "Shorten it before it grows over the limit.",
        source: "Apple, App Search Programming Guide; AOSP StatementService")
    static let locationRoot = LintRule(
        "http.location-root", .warning, "The file is at the root of the site only",
        reason: "Apple's CDN asks for /.well-known/apple-app-site-association and nothing else.",
        fix: "Serve it at /.well-known/apple-app-site-association.", source: "WWDC19 717")
    static let wrongName = LintRule(
        "http.wrong-name", .error, "The file has another name than the one that is asked for",
        reason: "Nobody ever requests it under this name.",
        fix: "Name it apple-app-site-association, without extension, or assetlinks.json, in /.well-known/.",
        source: "\(apple); \(google)")
    static let cdnDrift = LintRule(
        "cdn.drift", .warning, "Apple's CDN has another version",
        reason: "Devices get the CDN's copy: users keep the old rules up to a day, and devices about a week.",
        fix: "Wait for the CDN's next fetch; development builds can ask the site with ?mode=developer.",
        source: technote)
    static let cdnFailure = LintRule(
        "cdn.failure", .error, "Apple's CDN could not get the file",
        reason: "The site may look fine, but devices ask the CDN, and get nothing.",
        fix: "Remove the cause its code names; then wait until its cached failure has run out.", source: technote)
    static let cdnNegativeCached = LintRule(
        "cdn.negative-cached", .info, "Apple's CDN remembers a failure",
        reason: "A test before that time is over shows the old failure, whatever you have mended.",
        fix: "Test again when it is over.", source: technote)
    static let cdnUnknown = LintRule(
        "cdn.unknown", .info, "Apple's CDN does not know the domain yet",
        reason: "The CDN fetches the file only after a device has asked for it; nothing is wrong by itself.",
        fix: "Install an app with this associated domain, and ask again.", source: apple)
    static let cdnUnreachable = LintRule(
        "cdn.unreachable", .info, "Apple's CDN could not be asked",
        reason: "What devices get is unknown; only the site itself was checked.",
        fix: "Run it from a machine that reaches app-site-association.cdn-apple.com.", source: apple)
    static let dalError = LintRule(
        "dal.error", .error, "Google's Digital Asset Links service reports an error",
        reason: "Google's view of the file is what many apps and Chrome go by.",
        fix: "Remove the cause its code names.", source: api)
    static let dalDrift = LintRule(
        "dal.drift", .warning, "Google's Digital Asset Links service has other statements",
        reason: "Google caches the file: devices that ask it see the older one.",
        fix: "Wait until Google's copy has run out, and ask again.", source: api)
    static let dalNotLinked = LintRule(
        "dal.not-linked", .error, "Google does not link the site to an app in the file",
        reason: "The app's links, passwords or passkeys are not verified, though the file names it.",
        fix: "Compare package name and fingerprint with what the service answers, and its age.", source: api)
    static let dalUnreachable = LintRule(
        "dal.unreachable", .info, "Google's Digital Asset Links service could not be asked",
        reason: "Google's view is unknown; only the site itself was checked.",
        fix: "Run it from a machine that reaches digitalassetlinks.googleapis.com.", source: api)
    static let dalIncludeFailed = LintRule(
        "dal.include-failed", .error, "An included list could not be read",
        reason: "Its statements do not count, as if they stood nowhere.",
        fix: "Serve the included list with 200, as application/json, over https and without redirects.",
        source: "Digital Asset Links specification, well-known/details.md")
}
