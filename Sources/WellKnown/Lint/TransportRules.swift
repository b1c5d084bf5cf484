/// The rules about how files are served and what Apple's and Google's services answer: `http.*`, `cdn.*`, `dal.error`.
///
/// Sources: Apple, "Supporting associated domains", TN3155 and the App Search Programming Guide; Google, "Verify
/// Android App Links" and the Digital Asset Links API; AOSP StatementService; the headers of Apple's CDN.
public enum TransportRules {
    public static let rules: [LintRule] = [
        status, redirect, plain, tls, privateAddress, timeout, unreachable, contentTypeHTML, contentType,
        contentTypeParameters, botBlocked, geoOrAuth, encoding, ipv6Differs, headOnly, wwwVersusApex, tooLarge,
        nearLimit, locationRoot, wrongName, cdnDrift, cdnFailure, cdnNegativeCached, cdnUnknown, cdnUnreachable,
        dalError, dalDrift, dalNotLinked, dalUnreachable, dalIncludeFailed,
    ]

    private static let apple = "Apple, \"Supporting associated domains\""
    private static let technote = "Apple, TN3155 \"Debugging universal links\""
    private static let google = "Google, \"Verify Android App Links\""
    private static let api = "Google, Digital Asset Links API, ErrorCode"

    static let status = LintRule(
        "http.status", .error, "The file does not answer 200",
        reason: "Apple's CDN stores a failure (SWCERR00101) and Android treats the list as empty, so no link opens "
            + "the app.", fix: "Serve the file with status 200 and without a login.", source: "\(apple); \(google)")
    static let redirect = LintRule(
        "http.redirect", .error, "The file redirects",
        reason: "Neither Apple nor Android follows redirects. A browser does, so the file seems to work there.",
        fix: "Serve the file at this host without a redirect to www, to a locale or to a trailing slash.",
        source: "\(apple); \(google)")
    static let plain = LintRule(
        "http.plain", .error, "The file is served over http only",
        reason: "Both systems fetch the file over https only.",
        fix: "Serve the host over https with a valid certificate.", source: "\(apple); \(google)")
    static let tls = LintRule(
        "http.tls", .error, "The certificate is not trusted",
        reason: "The request fails before the file is read. Certificates of a private authority are not accepted.",
        fix: "Install a certificate of a public authority for this host, with the whole chain.",
        source: "\(apple); \(api)")
    static let privateAddress = LintRule(
        "http.private-address", .error, "The host resolves to a private or reserved address",
        reason: "Apple's CDN refuses such addresses (SWCERR00202), and systems outside your network cannot fetch the "
            + "file.",
        fix: "Publish a public address for the host. To check it anyway, use fetch --allow-private.", source: technote)
    static let timeout = LintRule(
        "http.timeout", .error, "No complete answer in time",
        reason: "The systems stop waiting (SWCERR00301), and the failure is cached for half an hour or longer. The "
            + "request was repeated once before this was reported.",
        fix: "Serve the file from memory or a cache, and keep firewalls from dropping the connection.",
        source: "AOSP StatementService, five seconds; \(technote)")
    static let unreachable = LintRule(
        "http.unreachable", .error, "The host cannot be reached",
        reason: "A system that cannot fetch the file opens no link in the app.",
        fix: "Check the name, its DNS entries and the server, and that this machine is online.", source: technote)
    static let contentTypeHTML = LintRule(
        "http.content-type-html", .error, "The file is served as text/html",
        reason: "The answer is almost always a fallback, login or challenge page instead of the file.",
        fix: "Serve the file itself, as application/json, before any catch-all route.", source: "\(apple); \(google)")
    static let contentType = LintRule(
        "http.content-type", .warning, "The content type is not application/json",
        reason: "Google and Android reject assetlinks.json with another type. Apple also accepts "
            + "application/octet-stream.", fix: "Serve the file as application/json.", source: google)
    static let contentTypeParameters = LintRule(
        "http.content-type-params", .info, "The content type has parameters",
        reason: "Older versions of Firefox compare the whole value and reject the list.",
        fix: "Serve it as application/json without parameters. JSON is always UTF-8.",
        source: "Mozilla, android-components, StatementApi")
    static let botBlocked = LintRule(
        "http.bot-blocked", .error, "The systems' fetcher is refused, and a browser is not",
        reason: "A firewall or bot rule refuses Apple's or Google's fetcher, while every test in a browser passes. A "
            + "time-out or an error of the server does not count as a refusal.",
        fix: "Let the user agents AASA-Bot, CFNetwork and GoogleAssociationService through for /.well-known/.",
        source: "Apple, \"Associating your App Clip with your website\"")
    static let geoOrAuth = LintRule(
        "http.geo-or-auth", .error, "The file needs a login, or is not served everywhere",
        reason: "Apple's and Google's services fetch the file from their own networks and without a login, so they "
            + "never get it.", fix: "Exempt /.well-known/ from login, VPN and country rules.", source: technote)
    static let encoding = LintRule(
        "http.encoding", .warning, "The encoding of the body and its headers disagree",
        reason: "A reader that does not decompress the body sees binary data.",
        fix: "Send Content-Encoding if the body is compressed, and compress only if the request accepts it.",
        source: "RFC 9110 section 8.4")
    static let ipv6Differs = LintRule(
        "http.ipv6-differs", .warning, "IPv4 and IPv6 answer differently",
        reason: "Verification fails for the systems that use the broken protocol.",
        fix: "Serve the same file on both, or remove the AAAA record.", source: technote)
    static let headOnly = LintRule(
        "http.head-only", .info, "HEAD and GET answer differently",
        reason: "A monitor that uses HEAD shows another result than the systems get.",
        fix: "Answer HEAD like GET, without the body.", source: "RFC 9110 section 9.3.2")
    static let wwwVersusApex = LintRule(
        "http.www-vs-apex", .warning, "Only one of the host and its www. sibling has the file",
        reason: "Each host needs its own file. Links to the other host open the browser.",
        fix: "Serve the file, without redirects, on both hosts, and name both in the app.", source: apple)
    static let tooLarge = LintRule(
        "http.too-large", .error, "The file is too large",
        reason: "Older iOS versions reject a file over 128 KiB, and Android's verifier one over 1 MiB. All links stop "
            + "working at once.",
        fix: "Shorten it: use wildcards instead of lists of pages, and one entry for several apps.",
        source: "Apple, App Search Programming Guide; AOSP StatementService")
    static let nearLimit = LintRule(
        "http.near-limit", .warning, "The file is close to its largest size",
        reason: "If the file grows over the limit, all links stop working at once.",
        fix: "Shorten it before that happens.", source: "Apple, App Search Programming Guide; AOSP StatementService")
    static let locationRoot = LintRule(
        "http.location-root", .warning, "The file is at the root of the site only",
        reason: "Apple's CDN requests only /.well-known/apple-app-site-association.",
        fix: "Serve it at /.well-known/apple-app-site-association.", source: "WWDC19 717")
    static let wrongName = LintRule(
        "http.wrong-name", .error, "The file has another name than the requested one",
        reason: "No system requests this name.",
        fix: "Name it apple-app-site-association, without extension, or assetlinks.json, in /.well-known/.",
        source: "\(apple); \(google)")
    static let cdnDrift = LintRule(
        "cdn.drift", .warning, "Apple's CDN has another version",
        reason: "Devices get the CDN's copy. It keeps the old rules for up to a day, and devices keep them for about "
            + "a week.",
        fix: "Wait for the CDN's next fetch. Development builds can read the site directly with ?mode=developer.",
        source: technote)
    static let cdnFailure = LintRule(
        "cdn.failure", .error, "Apple's CDN could not get the file",
        reason: "Devices ask the CDN and get nothing, even if the site works.",
        fix: "Remove the cause that the code names. Then wait until the cached failure expires.", source: technote)
    static let cdnNegativeCached = LintRule(
        "cdn.negative-cached", .info, "Apple's CDN remembers a failure",
        reason: "A test before the failure expires still shows the old failure, even if the cause is removed.",
        fix: "Test again after that time.", source: technote)
    static let cdnUnknown = LintRule(
        "cdn.unknown", .info, "Apple's CDN does not know the domain yet",
        reason: "The CDN fetches the file after a device asks for it. This is normal before the first installation.",
        fix: "Install an app with this associated domain, and check again.", source: apple)
    static let cdnUnreachable = LintRule(
        "cdn.unreachable", .info, "Apple's CDN could not be asked",
        reason: "It is unknown what devices get. Only the site itself was checked.",
        fix: "Run the check on a machine that can reach app-site-association.cdn-apple.com.", source: apple)
    static let dalError = LintRule(
        "dal.error", .error, "Google's Digital Asset Links service reports an error",
        reason: "Many apps and Chrome rely on Google's answer about the file.",
        fix: "Remove the cause that the code names.", source: api)
    static let dalDrift = LintRule(
        "dal.drift", .warning, "Google's Digital Asset Links service has other statements",
        reason: "Google caches the file. Devices that ask Google get the older version.",
        fix: "Wait until Google's copy expires, and check again.", source: api)
    static let dalNotLinked = LintRule(
        "dal.not-linked", .error, "Google does not link the site to an app in the file",
        reason: "The app's links, passwords or passkeys are not verified, although the file names it.",
        fix: "Compare the package name and the fingerprint with those of the app.", source: api)
    static let dalUnreachable = LintRule(
        "dal.unreachable", .info, "Google's Digital Asset Links service could not be asked",
        reason: "Google's view is unknown. Only the site itself was checked.",
        fix: "Run the check on a machine that can reach digitalassetlinks.googleapis.com.", source: api)
    static let dalIncludeFailed = LintRule(
        "dal.include-failed", .error, "An included list could not be read",
        reason: "The statements of this list have no effect.",
        fix: "Serve the included list with 200, as application/json, over https and without redirects.",
        source: "Digital Asset Links specification, well-known/details.md")
}
