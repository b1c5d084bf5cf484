/// The rules about `sha256_cert_fingerprints`: codes `fp.*`.
///
/// Sources: the Digital Asset Links specification and its compatibility suite; AOSP's StatementService and Chromium's
/// digital_asset_links_handler.cc, which compare the text.
public enum FingerprintRules {
    private static let specification = "Digital Asset Links specification, well-known/details.md"
    private static let suite = "Digital Asset Links compatibility suite"
    private static let form = "Write the SHA-256 of the signing certificate: 32 upper-case hex pairs joined by colons."

    public static let rules: [LintRule] = [
        missing, empty, type, sha1, length, syntax, lowercase, noColons, firstOctet, prefixText, placeholder, base64,
        repeating, knownPublicDebugKey, googleSample, studioDebug, sameForDebugAndRelease, playSigning, duplicate,
        certificateMismatch,
    ]

    static let missing = LintRule(
        "fp.missing", .error, "An android_app target has no sha256_cert_fingerprints",
        reason: "No build of the app is verified.", fix: form, source: "\(suite), comptest4402")
    static let empty = LintRule(
        "fp.empty", .error, "The list of fingerprints is empty", reason: "No build of the app is verified.", fix: form,
        source: "\(suite), comptest2309")
    static let type = LintRule(
        "fp.type", .error, "sha256_cert_fingerprints is not an array of strings",
        reason: "Google skips the statement. On devices it can void the whole list.",
        fix: "Write an array of strings.", source: "\(suite), comptest2305")
    static let sha1 = LintRule(
        "fp.sha1", .error, "A SHA-1 or MD5 fingerprint", reason: "Every reader compares SHA-256, so it never matches.",
        fix: "Use the SHA256 line of `keytool -list -v` or of the Play Console.", source: specification)
    static let length = LintRule(
        "fp.length", .error, "A fingerprint does not have 32 octets",
        reason: "It never matches, and Google reports the statement as malformed.", fix: form, source: specification)
    static let syntax = LintRule(
        "fp.syntax", .error, "A fingerprint is not hex pairs joined by colons",
        reason: "It never matches, and Google reports the statement as malformed.",
        fix: form, source: "\(suite), comptest2311 and 2313")
    static let lowercase = LintRule(
        "fp.lowercase", .error, "A fingerprint in lower-case hex",
        reason: "Devices write the app's own fingerprint in upper case and compare the text, so it never matches.",
        fix: "Write it in upper case.", source: "AOSP, StatementService; Chromium, digital_asset_links_handler.cc")
    static let noColons = LintRule(
        "fp.no-colons", .error, "A fingerprint without colons",
        reason: "Devices compare the text with colons, so it never matches.",
        fix: "Write colons between the pairs.", source: specification)
    static let firstOctet = LintRule(
        "fp.first-octet", .error, "A fingerprint whose first octet has one digit",
        reason: "A character was lost in copying, so the fingerprint never matches.",
        fix: "Copy the fingerprint again, from its first character.", source: specification)
    static let prefixText = LintRule(
        "fp.prefix-text", .error, "A label in front of a fingerprint",
        reason: "The label is part of the comparison, so the fingerprint never matches.",
        fix: "Remove the label.", source: specification)
    static let placeholder = LintRule(
        "fp.placeholder", .error, "A placeholder instead of a fingerprint", reason: "No build of the app is verified.",
        fix: form, source: specification)
    static let base64 = LintRule(
        "fp.base64", .error, "A fingerprint in base64",
        reason: "WebAuthn's android:apk-key-hash uses base64. This file uses hex, and base64 never matches.",
        fix: "Write it as hex pairs.", source: specification)
    static let repeating = LintRule(
        "fp.repeating", .error, "A made-up fingerprint",
        reason: "No certificate has this fingerprint. No build of the app is verified.",
        fix: form, source: specification)
    public static let knownPublicDebugKey = LintRule(
        "fp.known-public-debug-key", .error, "The public debug key of React Native and Expo",
        reason: "The private key is published. Anyone can sign an app with it that opens the site's links and, with "
            + "get_login_creds, gets its passwords and passkeys.",
        fix: "Remove it. Give development builds another host and their own key.",
        source: "react-native-community/template, android/app/debug.keystore")
    static let googleSample = LintRule(
        "fp.google-doc-sample", .error, "The fingerprint of Google's documentation",
        reason: "It is the fingerprint of Google's sample. No build of your app is verified.",
        fix: form, source: "Google, \"Digital Asset Links\"")
    public static let studioDebug = LintRule(
        "fp.android-studio-debug", .warning, "Only fingerprints of debug builds",
        reason: "Each developer machine has its own debug key, and the app from the store has another certificate.",
        fix: "Add the release build's package and fingerprint.", source: "Android, \"Sign your app\"")
    static let sameForDebugAndRelease = LintRule(
        "fp.same-for-debug-and-release", .warning, "A debug and a release package with the same key",
        reason: "Debug builds are signed with the release key, or release builds are verified for a debug key.",
        fix: "Check which certificate signs which package.", source: "Android, \"Sign your app\"")
    static let playSigning = LintRule(
        "fp.play-signing", .info, "One fingerprint only",
        reason: "With Play App Signing, users get an app with another certificate than that of your upload key. Links "
            + "then work in local builds and fail in builds from the store.",
        fix: "Compare it with the app signing key in the Play Console.", source: "Google, \"Verify Android App Links\"")
    static let duplicate = LintRule(
        "fp.duplicate", .info, "A fingerprint appears twice",
        reason: "The repetition has no effect. Another fingerprint may be missing.",
        fix: "Remove the repetition.", source: specification)
    /// For tools that have the app's certificate. The file alone does not show this error.
    public static let certificateMismatch = LintRule(
        "fp.certificate-mismatch", .error, "The app's certificate is not listed",
        reason: "This build of the app is not verified, so links open the browser.",
        fix: "Add the certificate's SHA-256 to the app's statement.", source: "Google, \"Verify Android App Links\"")
}
