import Foundation
import SSOShared
import Testing

@testable import TestKit
@testable import WellKnown
@testable import WellKnownTool

@Suite("Entitlements, profiles and manifests", .rules)
struct ProjectFileTests {
    private static let domains = """
        <plist version="1.0"><dict><key>com.apple.developer.associated-domains</key>
        <array><string>applinks:example.com?mode=developer</string><string>webcredentials:*.a.b</string></array>
        </dict></plist>
        """

    @Test("Entitlements are read in every form")
    func entitlementForms() throws {
        let list = try PropertyListSerialization.propertyList(from: Data(Self.domains.utf8), format: nil)
        let binary = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        // The output of codesign without --xml: a magic number and a length before the list.
        let blob: [UInt8] = [0xfa, 0xde, 0x71, 0x71, 0, 0, 1, 0] + Array(Self.domains.utf8)
        var utf16: [UInt8] = [0xff, 0xfe]
        for unit in Self.domains.utf16 { utf16 += [UInt8(unit & 255), UInt8(unit >> 8)] }
        for bytes in [Array(Self.domains.utf8), Array(binary), blob, utf16] {
            let domains = try #require(try AppEntitlements(reading: bytes).associatedDomains)
            #expect(domains.map(\.service) == ["applinks", "webcredentials"])
            #expect(domains.map(\.host) == ["example.com", "*.a.b"])
            #expect(domains.map(\.mode) == ["developer", nil])
        }
    }

    @Test("A missing key, an empty list and a single string are distinguished")
    func absence() throws {
        func domains(_ value: String) throws -> [String]? {
            try AppEntitlements(reading: "<plist><dict>\(value)</dict></plist>".utf8).associatedDomains?.map(\.raw)
        }
        let key = "<key>com.apple.developer.associated-domains</key>"
        #expect(try domains("") == nil)
        #expect(try domains("\(key)<array/>") == [])
        #expect(try domains("\(key)<string>*</string>") == ["*"])
    }

    @Test("Every kind of value is equal in the binary and the XML form")
    func sameValues() throws {
        let text = """
            <plist version="1.0"><dict>
            <key>s</key><string>é &amp; &#x1F600;<![CDATA[<x>]]></string><key>i</key><integer>-5</integer>
            <key>r</key><real>2.5</real><key>t</key><true/><key>f</key><false/><key>d</key><data>AAEC
            Aw==</data><key>a</key><array><string>x</string><dict/><array/></array>
            <key>when</key><date>2026-01-31T12:00:00Z</date>
            <key>long</key><string>0123456789012345678901234567890123456789</string>
            </dict></plist>
            """
        let list = try PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil)
        let binary = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        #expect(try PropertyList(reading: binary) == PropertyList(reading: text.utf8))
        #expect(try PropertyList(reading: text.utf8)["s"]?.string == "é & 😀<x>")
    }

    @Test(
        "A hostile or broken list is rejected, with its position if there is one",
        arguments: [
            ("<!DOCTYPE plist [<!ENTITY a \"aaaa\">]><plist><string>&a;</string></plist>", "entities of its own"),
            ("<plist><string>&a;</string></plist>", "&a; is not known here"),
            (String(repeating: "<array>", count: 200_000), "nested deeper"),
            ("<plist>" + String(repeating: "<array>", count: 99), "is not closed"),
            ("<plist><dict><key>a</key></dict></plist>", "has no value"),
            ("<plist><dict><string>a</string><true/></dict></plist>", "where a <key> must"),
            ("<plist><dict><key>a</key><true/><key>a</key><true/></dict></plist>", "twice"),
            ("<plist><true/><true/></plist>", "holds 2"), ("<plist/>", "holds 0"), ("<html/>", "not <plist>"),
            ("<plist><integer>1</plist>", "closes <integer>"), ("", "no XML element"), ("{ a = b; }", "no XML element"),
            ("<plist><data>*</data></plist>", "base64"), ("<plist><date>x</date></plist>", "date"),
            ("<plist a=\"1\" a=\"2\"><true/></plist>", "twice"), ("<plist><true/></plist><x/>", "follows"),
            ("<plist><!-- <true/></plist>", "not closed"), ("<plist a=1><true/></plist>", "quotes"),
            ("<plist><string>&#0;</string></plist>", "not known"), ("<plist><x/></plist>", "not a value"),
        ])
    func refusals(text: String, reason: String) {
        #expect { try PropertyList(reading: text.utf8) } throws: { "\($0)".contains(reason) }
    }

    @Test("The position of an error is line and column")
    func place() {
        #expect { try PropertyList(reading: "<plist>\n  <é/><x y/>\n</plist>".utf8) } throws: {
            ($0 as? ProjectFileError)?.position == SourcePosition(line: 2, column: 11)
        }
    }

    @Test(
        "A binary list that expands endlessly, contains itself or has wrong sizes is rejected",
        arguments: [
            BinaryList.laughs, BinaryList.objects([[0xa1, 0, 0]]), BinaryList.objects([[0xa1, 0, 1], [0xa1, 0, 0]]),
            BinaryList.objects([[0xaf, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0]]),
            BinaryList.objects([[0x5f, 0x13, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]]),
            BinaryList.objects([[0x6f, 0x13, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]]),
            BinaryList.objects([[0x14]]), BinaryList.objects([[0x33]]), BinaryList.objects([[0xd1, 0, 0, 0, 0]]),
            BinaryList.objects([[0xa1, 0, 9]]), BinaryList.objects([[0x70]]),
            Array("bplist00".utf8), Array("bplist00".utf8) + [UInt8](repeating: 0xff, count: 40),
            Array("bplist00".utf8) + [UInt8](repeating: 0, count: 40),
        ])
    func hostileBinary(bytes: [UInt8]) {
        #expect(throws: ProjectFileError.self) { try PropertyList(reading: bytes) }
    }

    @Test("A binary list with any changed byte is read or rejected without a crash")
    func mutatedBinary() throws {
        let list = try PropertyListSerialization.propertyList(from: Data(Self.domains.utf8), format: nil)
        let seed = Array(try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0))
        for place in seed.indices {
            for value: UInt8 in [0, 1, 0x0f, 0x5f, 0x7f, 0xaf, 0xd1, 0xff] {
                var bytes = seed
                bytes[place] = value
                _ = try? PropertyList(reading: bytes)
            }
            _ = try? PropertyList(reading: seed[..<place])
        }
    }

    @Test("The data elements of a filter are combined, with any namespace prefix")
    func manifest() throws {
        let text = """
            <manifest xmlns:a="http://schemas.android.com/apk/res/android" package="com.example.app">
              <application><activity-alias a:name="B" a:exported="false">
                <intent-filter a:autoVerify="true">
                  <action a:name="android.intent.action.VIEW"/>
                  <data a:scheme="https"/><data a:host="x.com" a:port="443" a:pathPattern="/a\\\\.b"/>
                  <data a:host="*.y.com" a:pathPrefix="/p"/>
                  <uri-relative-filter-group/>
                </intent-filter>
              </activity-alias><service><intent-filter/></service></application>
            </manifest>
            """
        let manifest = try AndroidManifest(reading: text.utf8)
        #expect(manifest.package == "com.example.app")
        #expect(manifest.closedActivities == ["B"])
        let filter = try #require(manifest.filters.first)
        #expect(manifest.filters.count == 1)
        #expect(filter.autoVerify && filter.groups.count == 1)
        #expect(filter.hosts.map(\.name) == ["x.com", "*.y.com"])
        #expect(filter.hosts.map(\.port) == ["443", nil])
        #expect(filter.paths.map(\.kind) == [.pathPattern, .pathPrefix])
        #expect(filter.paths.map(\.text) == ["/a\\.b", "/p"])
        #expect(filter.data.compactMap(\.host) == filter.hosts && filter.data.flatMap(\.paths) == filter.paths)
        #expect(filter.position == SourcePosition(line: 3, column: 5))
    }

    @Test(
        "A file that is not a manifest is rejected as such",
        arguments: [
            (Array("<html/>".utf8), "not <manifest>"), ([3, 0, 8, 0, 1], "broken or cut off"),
            (Array("<!DOCTYPE m [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><manifest>&x;</manifest>".utf8), "entities"),
        ] as [([UInt8], String)])
    func noManifest(bytes: [UInt8], reason: String) {
        #expect { try AndroidManifest(reading: bytes) } throws: { "\($0)".contains(reason) }
    }
}

/// Handmade binary property lists with offsets of two bytes and references of two bytes.
private enum BinaryList {
    static func objects(_ objects: [[UInt8]]) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)]
            bytes += object
        }
        let table = bytes.count
        func long(_ number: Int) -> [UInt8] {
            [0, 0, 0, 0, 0, 0, UInt8(number >> 8), UInt8(number & 255)]
        }
        return bytes + offsets + [0, 0, 0, 0, 0, 0, 2, 2] + long(objects.count) + long(0) + long(table)
    }

    /// Thirty arrays that each contain the next array ten times: 10^30 values in a kilobyte. Foundation's parser does
    /// not finish with it.
    static let laughs: [UInt8] = objects(
        (1...30).map { next in [0xaa] + (0..<10).flatMap { _ in [0, UInt8(next)] } } + [[0x51, 0x61]])
}
