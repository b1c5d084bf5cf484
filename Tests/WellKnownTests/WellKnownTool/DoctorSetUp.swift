import Foundation
import Testing
import WellKnown

@testable import TestKit
@testable import WellKnownTool

/// The files of a setup in which everything agrees. Tests break one of them.
struct DoctorSetUp: Sendable {
    var aasa = """
        {"applinks": {"details": [{"appIDs": ["4J6K8M2N9P.com.example.app"], "components": [{"/": "/buy/*"}]}]},
         "webcredentials": {"apps": ["4J6K8M2N9P.com.example.app"]}}
        """
    var entitlements = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict>
          <key>application-identifier</key><string>4J6K8M2N9P.com.example.app</string>
          <key>com.apple.developer.team-identifier</key><string>4J6K8M2N9P</string>
          <key>com.apple.developer.associated-domains</key>
          <array><string>applinks:example.com</string><string>webcredentials:example.com</string></array>
          <key>get-task-allow</key><false/>
        </dict></plist>
        """
    var profile = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict>
          <key>Name</key><string>Example</string>
          <key>TeamIdentifier</key><array><string>4J6K8M2N9P</string></array>
          <key>ApplicationIdentifierPrefix</key><array><string>4J6K8M2N9P</string></array>
          <key>ExpirationDate</key><date>2027-06-01T00:00:00Z</date>
          <key>Entitlements</key><dict>
            <key>application-identifier</key><string>4J6K8M2N9P.com.example.app</string>
            <key>com.apple.developer.associated-domains</key><string>*</string>
            <key>get-task-allow</key><false/>
          </dict>
        </dict></plist>
        """
    var assetlinks = """
        [{"relation": ["delegate_permission/common.handle_all_urls", "delegate_permission/common.get_login_creds"],
          "target": {"namespace": "android_app", "package_name": "com.example.app",
                     "sha256_cert_fingerprints": ["\(CertificateVector.new)", "\(CertificateVector.old)"]}}]
        """
    var manifest = """
        <?xml version="1.0" encoding="utf-8"?>
        <manifest xmlns:android="http://schemas.android.com/apk/res/android" package="com.example.app">
          <application>
            <activity android:name=".Main" android:exported="true">
              <intent-filter>
                <action android:name="android.intent.action.MAIN"/>
              </intent-filter>
              <intent-filter android:autoVerify="true">
                <action android:name="android.intent.action.VIEW"/>
                <category android:name="android.intent.category.DEFAULT"/>
                <category android:name="android.intent.category.BROWSABLE"/>
                <data android:scheme="https"/>
                <data android:host="example.com"/>
              </intent-filter>
            </activity>
          </application>
        </manifest>
        """
    var certificate = "rotated.apk"

    func report(
        domain: String = "example.com", app: String? = nil, package: String? = nil,
        now: Date = Date(timeIntervalSince1970: 1_790_000_000)
    ) throws -> DoctorReport {
        guard let host = DomainName(domain) else { throw ProbeFailure("no domain: \(domain)") }
        var examination = DoctorExamination(host: host, app: app, package: package, now: now)
        examination.aasa = ("aasa.json", Array(aasa.utf8))
        examination.entitlements = try AppEntitlements(reading: entitlements.utf8)
        examination.profile = try ProvisioningProfile(reading: Array(profile.utf8))
        examination.assetlinks = ("assetlinks.json", Array(assetlinks.utf8))
        examination.manifest = try AndroidManifest(reading: manifest.utf8)
        examination.certificates = try DoctorFiles.certificates(
            CertificateVector.path(certificate), password: PasswordSource(file: nil))
        return examination.report()
    }
}

/// A setup with one error: the broken file, the change in it, and the expected line of the report.
struct BrokenSetUp: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let file: @Sendable (inout DoctorSetUp, (String) -> String) -> Void
    let text: String
    let replacement: String
    let subject: String
    let advice: String

    init(
        _ name: String, _ file: @escaping @Sendable (inout DoctorSetUp, (String) -> String) -> Void, _ text: String,
        _ replacement: String, _ subject: String, _ advice: String
    ) {
        testDescription = name
        (self.file, self.text, self.replacement, self.subject, self.advice) = (file, text, replacement, subject, advice)
    }

    static let aasa: @Sendable (inout DoctorSetUp, (String) -> String) -> Void = { $0.aasa = $1($0.aasa) }
    static let entitlements: @Sendable (inout DoctorSetUp, (String) -> String) -> Void = {
        $0.entitlements = $1($0.entitlements)
    }
    static let profile: @Sendable (inout DoctorSetUp, (String) -> String) -> Void = { $0.profile = $1($0.profile) }
    static let assetlinks: @Sendable (inout DoctorSetUp, (String) -> String) -> Void = {
        $0.assetlinks = $1($0.assetlinks)
    }
    static let manifest: @Sendable (inout DoctorSetUp, (String) -> String) -> Void = { $0.manifest = $1($0.manifest) }
    static let certificate: @Sendable (inout DoctorSetUp, (String) -> String) -> Void = {
        $0.certificate = $1($0.certificate)
    }

    static let all = [
        // The file on the server.
        BrokenSetUp("AASA: no JSON", aasa, "{\"applinks\"", "<html>", "the file", "wellknown lint"),
        BrokenSetUp("AASA: a list", aasa, aasaText, "[]", "the file", "wellknown lint"),
        BrokenSetUp(
            "AASA: another team's prefix", aasa, "[\"4J6K8M2N9P.com", "[\"ZZZZZ99999.com", "the app's id",
            "another Team ID"),
        BrokenSetUp(
            "AASA: letter case of the bundle id", aasa, "[\"4J6K8M2N9P.com.example.app\"], \"comp",
            "[\"4J6K8M2N9P.com.Example.app\"], \"comp", "the app's id", "letter case counts"),
        BrokenSetUp(
            "AASA: another app", aasa, "com.example.app\"], \"comp", "com.example.other\"], \"comp", "the app's id",
            "Add 4J6K8M2N9P.com.example.app"),
        BrokenSetUp(
            "AASA: webcredentials forgotten", aasa, "\"webcredentials\"", "\"x\"", "the service webcredentials",
            "webcredentials.apps of the file"),
        // The entitlement in the app.
        BrokenSetUp(
            "entitlement: none at all", entitlements, "com.apple.developer.associated-domains", "x",
            "the associated domain", "Signing & Capabilities"),
        BrokenSetUp(
            "entitlement: a text and no list", entitlements,
            "<array><string>applinks:example.com</string><string>webcredentials:example.com</string></array>",
            "<string>applinks:example.com</string>", "the associated domain", "an array of strings"),
        BrokenSetUp(
            "manifest: a disabled activity", manifest, "android:exported=\"true\"",
            "android:exported=\"true\" android:enabled=\"false\"", "the intent filter", "what is disabled"),
        BrokenSetUp(
            "manifest: a disabled application", manifest, "<application>", "<application android:enabled=\"false\">",
            "the intent filter", "what is disabled"),
        BrokenSetUp(
            "entitlement: www only", entitlements, "applinks:example.com", "applinks:www.example.com",
            "the associated domain", "another host"),
        BrokenSetUp(
            "entitlement: a wildcard leaves the apex out", entitlements, "applinks:example.com",
            "applinks:*.example.com", "the associated domain", "subdomains only"),
        BrokenSetUp(
            "entitlement: a URL", entitlements, "applinks:example.com", "applinks:https://example.com/",
            "the associated domain", "no scheme, port, path"),
        BrokenSetUp(
            "entitlement: a port", entitlements, "applinks:example.com", "applinks:example.com:443",
            "the associated domain", "no scheme, port, path"),
        BrokenSetUp(
            "entitlement: no service", entitlements, "applinks:example.com", "example.com", "the associated domain",
            "no scheme, port, path"),
        BrokenSetUp(
            "entitlement: passwords only", entitlements, "<string>applinks:example.com</string>", "",
            "the associated domain", "another service"),
        BrokenSetUp(
            "entitlement: mode=developer in a release", entitlements, "applinks:example.com",
            "applinks:example.com?mode=developer", "the mode of the domain", "before the app goes to the store"),
        BrokenSetUp(
            "entitlement: webcredentials forgotten", entitlements, "<string>webcredentials:example.com</string>", "",
            "the service webcredentials", "associated domains of the app"),
        // The provisioning profile.
        BrokenSetUp(
            "profile: without the capability", profile, "com.apple.developer.associated-domains", "x",
            "the capability", "capability enable --bundle-id com.example.app"),
        BrokenSetUp(
            "profile: other domains", profile, "<string>*</string>",
            "<array><string>applinks:other.com</string></array>",
            "the capability", "other domains only"),
        BrokenSetUp(
            "profile: a wildcard App ID", profile, "4J6K8M2N9P.com.example.app", "4J6K8M2N9P.*", "the profile's app",
            "explicit one"),
        BrokenSetUp(
            "profile: of another app", profile, "com.example.app", "com.example.beta", "the profile's app",
            "the one for 4J6K8M2N9P.com.example.app"),
        BrokenSetUp(
            "profile: of another team", profile, "TeamIdentifier</key><array><string>4J6K8M2N9P",
            "TeamIdentifier</key><array><string>ZZZZZ99999", "the team", "profile of the team 4J6K8M2N9P"),
        BrokenSetUp("profile: ended", profile, "2027-06-01", "2026-06-01", "the profile's end", "create it again"),
        // The file for Android.
        BrokenSetUp("assetlinks: no JSON", assetlinks, "[{", "[{,", "the file", "wellknown lint"),
        BrokenSetUp(
            "assetlinks: another package", assetlinks, "com.example.app", "com.example.other", "the app's package",
            "Add a statement"),
        BrokenSetUp(
            "assetlinks: passwords only", assetlinks, "\"delegate_permission/common.handle_all_urls\", ", "",
            "the app's package", "under the relation"),
        BrokenSetUp(
            "assetlinks: lower-case fingerprint", assetlinks, CertificateVector.new, CertificateVector.new.lowercased(),
            "the signing certificate", "in another form"),
        // The certificate.
        BrokenSetUp(
            "certificate: a debug build", certificate, "rotated.apk", "debug.jks", "the signing certificate",
            "app-signing key"),
        // The manifest.
        BrokenSetUp(
            "manifest: no host", manifest, "\"example.com\"", "\"other.com\"", "the intent filter", "Add an intent"),
        BrokenSetUp(
            "manifest: any host", manifest, "\"example.com\"", "\"*\"", "the intent filter", "none is verified"),
        BrokenSetUp(
            "manifest: a URL as host", manifest, "\"example.com\"", "\"https://example.com\"", "the intent filter",
            "bare name"),
        BrokenSetUp(
            "manifest: a host in upper case", manifest, "\"example.com\"", "\"Example.com\"", "the intent filter",
            "lower case"),
        BrokenSetUp(
            "manifest: a wildcard leaves the apex out", manifest, "\"example.com\"", "\"*.example.com\"",
            "the intent filter", "Add an intent filter"),
        BrokenSetUp(
            "manifest: no autoVerify", manifest, " android:autoVerify=\"true\"", "", "the intent filter", "autoVerify"),
        BrokenSetUp("manifest: no VIEW", manifest, "action.VIEW", "action.EDIT", "the intent filter", "action.VIEW"),
        BrokenSetUp(
            "manifest: no BROWSABLE", manifest, "category.BROWSABLE", "category.HOME", "the intent filter", "BROWSABLE"),
        BrokenSetUp(
            "manifest: no DEFAULT", manifest, "category.DEFAULT", "category.HOME", "the intent filter", "DEFAULT"),
        BrokenSetUp(
            "manifest: a scheme of its own in the same filter", manifest, "<data android:scheme=\"https\"/>",
            "<data android:scheme=\"https\"/><data android:scheme=\"example\"/>", "the intent filter", "of its own"),
        BrokenSetUp("manifest: http only", manifest, "\"https\"", "\"http\"", "the intent filter", "android:scheme"),
        BrokenSetUp("manifest: HTTPS", manifest, "\"https\"", "\"HTTPS\"", "the intent filter", "lower case"),
        BrokenSetUp(
            "manifest: a port", manifest, "\"example.com\"", "\"example.com\" android:port=\"443\"",
            "the intent filter", "port"),
        BrokenSetUp(
            "manifest: not exported", manifest, "exported=\"true\"", "exported=\"false\"", "the intent filter",
            "no link reaches it"),
    ]

    private static let aasaText = DoctorSetUp().aasa
}
