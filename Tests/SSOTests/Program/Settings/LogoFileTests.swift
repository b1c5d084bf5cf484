import Foundation
import SSOShared
import Testing

@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit

/// ASVS 5.3.1 and 1.3.4: a logo that an operator was sent by somebody else runs nothing in a browser.
@Suite("The logo of IDP_LOGO_FILE", .program)
struct LogoFileTests {
    private static let good = #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>"#

    private static func around(_ content: String) -> String {
        "<svg xmlns=\"http://www.w3.org/2000/svg\">\(content)</svg>"
    }

    @Test(
        "an SVG with anything that could run, load a definition or hold a page is refused, and the error says what it is",
        arguments: [
            ("<script>alert(1)</script>", "<script"), ("<SCRIPT href='//evil.example'/>", "<script"),
            ("<g onload=\"alert(1)\"/>", "event handler"), ("<g\nONCLICK = 'alert(1)'/>", "event handler"),
            ("<g/onload='alert(1)'/>", "event handler"), ("<g a=\"b\"onload='alert(1)'/>", "event handler"),
            ("<foreignObject><p>Hi</p></foreignObject>", "<foreignobject"),
            ("<a href=\"javascript:alert(1)\"/>", "javascript:"), ("<a href=\"JavaScript:alert(1)\"/>", "javascript:"),
            ("<iframe src='//evil.example'/>", "<iframe"), ("<!ENTITY a \"b\">", "<!entity"),
        ])
    func active(content: String, named: String) {
        let error = #expect(throws: SettingError.self) {
            _ = try LogoFile(Array(Self.around(content).utf8), name: "logo.svg")
        }
        #expect("\(error, default: "none")".contains("logo.svg"))
        #expect("\(error, default: "none")".contains(named))
    }

    @Test(
        "a file of another kind is refused",
        arguments: [
            "", " ", "text", "<html><svg></svg></html>", "<!doctype html><p>Hi</p>", "<svgx/>", "<?xml version=\"1.0\"",
            "<!-- <svg>", "GIF89a", "\u{ff}\u{d8}",
            "<?xml version=\"1.0\"?><!DOCTYPE svg PUBLIC \"a\" \"b\"><svg/>",
            "<?xml version=\"1.0\"?><?xml-stylesheet href=\"//evil.example\"?><svg/>",
        ])
    func otherKind(content: String) {
        #expect(throws: SettingError.self) { _ = try LogoFile(Array(content.utf8), name: "logo") }
    }

    /// In another encoding the check would not find what a browser finds.
    @Test("an SVG in UTF-16, or in bytes that are not UTF-8, is refused")
    func otherEncoding() {
        let utf16 = Self.good.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        for bytes in [utf16, [0xff, 0xfe] + utf16, Array(Self.good.utf8) + [0xff]] {
            #expect(throws: SettingError.self) { _ = try LogoFile(bytes, name: "logo.svg") }
        }
    }

    @Test("a PNG that is cut short, has no header first, or has more than 2048 pixels is refused")
    func wrongPNG() {
        for bytes in [
            Array(TestImages.png(8, 8).prefix(20)), TestImages.png(8, 8, chunk: "IDAT"), TestImages.png(5000, 8),
            TestImages.png(8, 5000),
            TestImages.png(0, 8), TestImages.png(.max, .max),
        ] {
            #expect(throws: SettingError.self) { _ = try LogoFile(bytes, name: "logo.png") }
        }
    }

    @Test("64 KiB are accepted, one byte more is not, and a missing file is named")
    func size() throws {
        let padding = String(repeating: " ", count: LogoFile.maximumBytes - Self.good.utf8.count)
        #expect(try LogoFile(Array((Self.good + padding).utf8), name: "a").kind == .svg)
        let error = #expect(throws: SettingError.self) {
            _ = try LogoFile(Array((Self.good + padding + " ").utf8), name: "a")
        }
        #expect("\(error, default: "none")".contains("65537") && "\(error, default: "none")".contains("65536"))
        #expect(throws: SettingError.self) { _ = try LogoFile(path: "/nowhere/logo.svg") }
    }

    @Test(
        "an ordinary SVG and an ordinary PNG are accepted",
        arguments: [
            "", "\u{feff}", "\n  ", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n", "<!-- made by hand -->\n",
            "<?xml version=\"1.0\"?><!-- a --><!-- b -->",
        ])
    func accepted(before: String) throws {
        #expect(try LogoFile(Array((before + Self.good).utf8), name: "logo.svg").kind == .svg)
        #expect(try LogoFile(Array((before + "<svg\n viewBox='0 0 1 1'/>").utf8), name: "logo.svg").kind == .svg)
        #expect(try LogoFile(TestImages.png(2048, 1), name: "logo.png").kind == .png)
    }

    @Test(
        "the size is that of the PNG's header or of the SVG's viewBox, and unknown where the file does not say",
        arguments: [
            ("<svg viewBox='0 0 120 40'/>", "120x40"), ("<svg id=\"a\" viewBox=\"0,0, 24.4 11.6\"/>", "24x12"),
            ("<svg viewBox='0 0 0 40'/>", nil), ("<svg viewBox='0 0 nan inf'/>", nil),
            ("<svg viewBox='0 0 1e9 1'/>", nil), ("<svg viewBox='0 0 40'/>", nil),
            ("<svg><g viewBox='0 0 4 4'/></svg>", nil), ("<svg width='4' height='4'/>", nil),
        ] as [(String, String?)])
    func sizes(svg: String, size: String?) throws {
        let logo = try LogoFile(Array(svg.utf8), name: "logo.svg")
        #expect(logo.size.map { "\($0.width)x\($0.height)" } == size)
        let png = try LogoFile(TestImages.png(64, 16), name: "logo.png").size
        #expect(png?.width == 64 && png?.height == 16)
    }

    @Test("the pages show the logo, and a browser that opens it by its address runs and guesses nothing")
    func served() async throws {
        let folder = try TemporaryFolder()
        let svg = try folder.write(Self.good, to: "logo.svg")
        let png = folder.path(of: "logo.png")
        try Data(TestImages.png(8, 8)).write(to: URL(fileURLWithPath: png))
        for (path, type) in [(svg, "image/svg+xml"), (png, "image/png")] {
            try await TestDeployment.open(settings: ["IDP_LOGO_FILE": path]) { deployment in
                let browser = deployment.browser()
                let home = try await browser.get(deployment.origin + "/sign-in")
                let image = try #require(try home.page().tags.first { $0.name == "img" })
                #expect(image["alt"] == "", "the name stands beside it")
                let size = try LogoFile(path: path).size.map { ["\($0.width)", "\($0.height)"] } ?? []
                #expect([image["width"], image["height"]].compactMap(\.self) == size, "its place is kept free")
                let icon = try #require(
                    try home.page().tags.first { $0.name == "link" && $0["rel"] == "icon" }?["href"])
                let source = try #require(image["src"])
                #expect(icon == source)
                for address in [source, "/favicon.ico"] {
                    let logo = try await browser.get(deployment.origin + address)
                    #expect(logo.status == 200 && logo.reply.all("content-type") == [type])
                    #expect(logo.reply.all("x-content-type-options") == ["nosniff"])
                    let policy = logo.reply.all("content-security-policy")
                    #expect(policy.count == 1)
                    #expect(policy[0].contains("default-src 'none'") && policy[0].contains("sandbox"))
                    #expect(!policy[0].contains("allow-scripts"))
                    #expect(logo.reply.body == [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
                }
            }
        }
    }
}
