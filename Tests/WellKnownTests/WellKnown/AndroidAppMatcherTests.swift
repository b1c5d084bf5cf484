import SSOShared
import Testing

@testable import TestKit
@testable import WellKnown
@testable import WellKnownTool

/// Sources: Android, "`<intent-filter>`", "`<data>`", "`<uri-relative-filter-group>`", "Verify Android App Links"; AOSP,
/// `IntentFilter` and `DomainVerificationCollector`.
@Suite("Android: the manifest and the file together", .rules)
struct AndroidAppMatcherTests {
    static let print = "3B:7E:10:52:9C:41:D0:AA:5F:62:13:E8:94:07:BC:6D:21:F5:38:0E:C9:76:4A:B2:1D:E3:58:90:AF:04:6B:C7"

    static func links(_ rules: String? = nil, package: String = "com.acme.shop") throws -> AndroidMatcher {
        let relation = "delegate_permission/common.handle_all_urls"
        let extensions = rules.map {
            #""relation_extensions":{"\#(relation)":{"dynamic_app_link_components":[\#($0)]}},"#
        }
        let text = """
            [{"relation":["\(relation)"],\(extensions ?? "")"target":{"namespace":"android_app",
            "package_name":"\(package)","sha256_cert_fingerprints":["\(print)"]}}]
            """
        return AndroidMatcher(try #require(AssetLinksFile(JSONReader.read(text.utf8))))
    }

    /// A manifest with one activity per element. Each element is the content of a filter after its categories.
    static func manifest(
        _ filters: (attributes: String, data: String)..., activity: String = "android:exported=\"true\""
    ) throws -> AndroidManifest {
        let activities = filters.enumerated().map { index, filter in
            """
            <activity android:name=".A\(index)" \(activity)><intent-filter \(filter.attributes)>
            <action android:name="android.intent.action.VIEW"/>
            <category android:name="android.intent.category.DEFAULT"/>
            <category android:name="android.intent.category.BROWSABLE"/>
            <data android:scheme="https" android:host="links.acme.com"/>\(filter.data)</intent-filter></activity>
            """
        }
        return try AndroidManifest(
            reading: """
                <manifest xmlns:android="http://schemas.android.com/apk/res/android" package="com.acme.shop"><application>
                \(activities.joined(separator: "\n"))
                </application></manifest>
                """.utf8)
    }

    static let verify = "android:autoVerify=\"true\""

    private func decisions(
        _ manifest: AndroidManifest, _ links: AndroidMatcher?, _ address: String, minimum: Int = 23, target: Int? = nil
    ) throws -> [AndroidAppMatcher.VersionDecision] {
        AndroidAppMatcher(
            manifest.filters, links: links, package: "com.acme.shop", minimumSDK: minimum, targetSDK: target
        ).decisions(try #require(LinkURL(address)))
    }

    @Test(
        "The manifest and the file decide together on the newest version",
        arguments: [
            ("<data android:pathPrefix=\"/shop/\"/>", nil, "https://links.acme.com/shop/1", LinkDecision.opens),
            ("<data android:pathPrefix=\"/shop/\"/>", nil, "https://links.acme.com/help", .noMatch),
            ("<data android:pathPrefix=\"/shop/\"/>", nil, "https://www.acme.com/shop/1", .noMatch),
            ("<data android:pathPrefix=\"/shop/\"/>", nil, "http://links.acme.com/shop/1", .noMatch),
            ("", #"{"/":"/shop/x","exclude":true},{"/":"/shop/*"}"#, "https://links.acme.com/shop/x", .excluded),
            ("", #"{"/":"/shop/x","exclude":true},{"/":"/shop/*"}"#, "https://links.acme.com/shop/y", .opens),
            ("", #"{"/":"/shop/*"}"#, "https://links.acme.com/help", .noMatch),
            ("<data android:path=\"/a\"/>", #"{"/":"/shop/*"}"#, "https://links.acme.com/shop/1", .noMatch),
            ("<data android:mimeType=\"text/html\"/>", nil, "https://links.acme.com/", .noMatch),
        ] as [(String, String?, String, LinkDecision)])
    func newest(data: String, rules: String?, address: String, decision: LinkDecision) throws {
        let found = try decisions(Self.manifest((Self.verify, data)), Self.links(rules), address)
        #expect(found.first?.decision == decision && found.first?.isDecided == true, "\(found.map(\.summary))")
    }

    @Test(
        "Android 15 reads filter groups: the first that matches decides, beside the paths",
        arguments: [
            ("https://links.acme.com/open/1", LinkDecision.opens), ("https://links.acme.com/open/1?ref=mail", .noMatch),
            ("https://links.acme.com/plain?ref=mail", .opens), ("https://links.acme.com/other", .noMatch),
            ("https://links.acme.com/open/1#top", .opens),
        ])
    func groups(address: String, decision: LinkDecision) throws {
        let data = """
            <data android:path="/plain"/>
            <uri-relative-filter-group android:allow="false"><data android:query="ref=mail"/></uri-relative-filter-group>
            <uri-relative-filter-group/>
            <uri-relative-filter-group><data android:pathPrefix="/open/"/></uri-relative-filter-group>
            """
        let manifest = try Self.manifest((Self.verify, data))
        #expect(try decisions(manifest, Self.links(), address).first?.decision == decision)
        // Older versions know only the path.
        let older = try decisions(manifest, Self.links(), "https://links.acme.com/open/1").last
        #expect(older?.decision == .noMatch && older?.sdks.upperBound == 34)
    }

    @Test("A filter that has only groups takes every path up to Android 14")
    func onlyGroups() throws {
        let data =
            "<uri-relative-filter-group><data android:pathPrefix=\"/open/\"/></uri-relative-filter-group>"
        let found = try decisions(
            Self.manifest((Self.verify, data)), Self.links(), "https://links.acme.com/x", minimum: 31)
        #expect(found.map(\.decision) == [.noMatch, .opens])
        #expect(found.map(\.versions) == ["Android 15 and later", "Android 12 to 14"])
    }

    @Test("Dynamic rules count from Android 15 on, pathSuffix from Android 12 on")
    func versions() throws {
        let dynamic = try decisions(
            Self.manifest((Self.verify, "")), Self.links(#"{"/":"/shop/*"}"#), "https://links.acme.com/help")
        #expect(dynamic.map(\.decision) == [.noMatch, .opens])
        let suffix = try decisions(
            Self.manifest((Self.verify, "<data android:pathSuffix=\".pdf\"/>")), Self.links(),
            "https://links.acme.com/a")
        #expect(suffix.map(\.decision) == [.noMatch, .opens] && suffix.last?.versions == "Android 6 to 11")
    }

    @Test("Without verification the link opens the browser since Android 12, and asks the user before")
    func unverified() throws {
        for (manifest, links) in [
            (try Self.manifest(("", "")), try Self.links()),
            (try Self.manifest((Self.verify, "")), try Self.links(package: "com.acme.other")),
        ] {
            let found = try decisions(manifest, links, "https://links.acme.com/")
            #expect(found.map(\.decision) == [.noMatch, .noMatch] && found.map(\.asks) == [false, true])
        }
        let alone = try decisions(Self.manifest((Self.verify, "")), nil, "https://links.acme.com/")
        #expect(alone.first?.isDecided == false && alone.first?.decision == .manifestDecides)
    }

    @Test("A filter without autoVerify opens links of a host that another filter has verified")
    func sharedHost() throws {
        let manifest = try Self.manifest(
            (Self.verify, "<data android:path=\"/a\"/>"), ("", "<data android:path=\"/b\"/>"))
        let found = try decisions(manifest, Self.links(), "https://links.acme.com/b")
        #expect(found.first?.decision == .opens && found.first?.filter?.activity == ".A1")
    }

    @Test(
        "Up to Android 11 another host of the manifest leaves it open, wherever it stands",
        arguments: [
            [(verify, "<data android:host=\"go.library.example\"/>")],
            [(verify, ""), (verify, "<data android:host=\"go.library.example\"/>")],
            [(verify, ""), ("", "<data android:host=\"GO.library.example\"/>")],
            [("", ""), (verify, "<data android:host=\"*.go.library.example\"/>")],
        ])
    func otherHosts(filters: [(attributes: String, data: String)]) throws {
        let manifest =
            try filters.count == 1 ? Self.manifest(filters[0]) : Self.manifest(filters[0], filters[1])
        let found = try decisions(manifest, Self.links(), "https://links.acme.com/shop")
        #expect(found.first?.decision == .opens && found.first?.versions == "Android 12 and later")
        let old = try #require(found.last)
        #expect(found.count == 2 && old.versions == "Android 6 to 11" && !old.isDecided && !old.asks)
        #expect(old.summary.contains("that of go.library.example verifies it"), "\(old.summary)")
    }

    @Test(
        "Another host plays no part before Android 12 when no filter asks for verification, or its filter is not for the web"
    )
    func hostsThatAreNotVerified() throws {
        let custom = "<data android:scheme=\"acme\" android:host=\"go.library.example\"/>"
        let found = try decisions(
            Self.manifest((Self.verify, ""), ("", custom)), Self.links(), "https://links.acme.com/")
        #expect(found.map(\.decision) == [.opens])
        let plain = try decisions(
            Self.manifest(("", ""), ("", "<data android:host=\"go.library.example\"/>")), Self.links(),
            "https://links.acme.com/")
        #expect(plain.map(\.asks) == [false, true])
    }

    @Test("Of several activities, the filter with the highest order gets the link, and equal orders are told")
    func order() throws {
        let first = try Self.manifest((Self.verify, ""), (Self.verify + " android:order=\"1\"", ""))
        #expect(try decisions(first, Self.links(), "https://links.acme.com/").first?.filter?.activity == ".A1")
        let equal = try decisions(
            Self.manifest((Self.verify, ""), (Self.verify, "")), Self.links(), "https://links.acme.com/")
        #expect(equal.first?.filter?.activity == ".A0" && equal.first?.summary.contains(".A1") == true)
    }

    @Test(
        "A closed activity opens no link, and Android 12 installs no app without exported",
        arguments: [
            ("android:exported=\"false\"", nil, LinkDecision.noMatch), ("android:enabled=\"false\"", nil, .noMatch),
            ("", nil, .opens), ("", 30, .opens), ("", 34, .noMatch), ("android:exported=\"true\"", 34, .opens),
        ] as [(String, Int?, LinkDecision)])
    func exported(activity: String, target: Int?, decision: LinkDecision) throws {
        let manifest = try Self.manifest((Self.verify, ""), activity: activity)
        let found = try decisions(manifest, Self.links(), "https://links.acme.com/", target: target)
        #expect(found.first?.decision == decision, "\(found.map(\.summary))")
    }

    @Test("A host that the build fills in is not decided")
    func placeholder() throws {
        let text = """
            <manifest xmlns:android="http://schemas.android.com/apk/res/android" package="com.acme.shop"><application>
            <activity android:name=".A"><intent-filter android:autoVerify="true">
            <action android:name="android.intent.action.VIEW"/><category android:name="android.intent.category.DEFAULT"/>
            <category android:name="android.intent.category.BROWSABLE"/>
            <data android:scheme="https" android:host="${host}"/></intent-filter></activity></application></manifest>
            """
        let open = try decisions(AndroidManifest(reading: text.utf8), Self.links(), "https://links.acme.com/")
        #expect(open.first?.isDecided == false)
        let filled = try AndroidManifest(reading: text.utf8, filling: ["host": "links.acme.com"])
        #expect(try decisions(filled, Self.links(), "https://links.acme.com/").first?.decision == .opens)
    }

    @Test("A comparison names a link for each change of manifest or file, and knows equal apps")
    func differences() throws {
        func app(_ data: String, _ rules: String? = nil) throws -> AndroidAppMatcher {
            AndroidAppMatcher(
                try Self.manifest((Self.verify, data)).filters, links: try Self.links(rules), package: "com.acme.shop")
        }
        let old = try app("<data android:pathPrefix=\"/shop/\"/>")
        #expect(LinkDiff.between(old, try app("  <data android:pathPrefix=\"/shop/\"/>")).isEmpty)
        let moved = LinkDiff.between(old, try app("<data android:pathPrefix=\"/sale/\"/>"))
        #expect(Set(moved.changes.map { [$0.old, $0.new] }) == [[.opens, .noMatch], [.noMatch, .opens]])
        let narrowed = LinkDiff.between(old, try app("<data android:pathPrefix=\"/shop/\"/>", #"{"/":"/shop/a*"}"#))
        #expect(narrowed.changes.map { [$0.old, $0.new] } == [[.opens, .noMatch]])
        for change in moved.changes {
            #expect(change.witness.host == "links.acme.com" && old.decide(change.witness) == change.old)
        }
    }
}
