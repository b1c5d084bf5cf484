import HTTPTypes
import Hummingbird
import SSOWeb
import Testing

@testable import IdPAccounts
@testable import TestKit

@Suite("The name of a browser in the list of sessions", .rules)
struct BrowserDeviceTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let agent, hints: String
        let system: DeviceKind
        let browser: BrowserDevice.Browser?
        var testDescription: String { agent }

        init(
            _ agent: String, hints: String = "", _ system: DeviceKind, _ browser: BrowserDevice.Browser?
        ) { (self.agent, self.hints, self.system, self.browser) = (agent, hints, system, browser) }
    }

    private static let webKit = "AppleWebKit/537.36 (KHTML, like Gecko)"

    static let rows = [
        Row("Mozilla/5.0 (X11; Linux x86_64) \(webKit) Chrome/131.0.0.0 Safari/537.36", .linux, .chrome),
        Row("Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0", .linux, .firefox),
        Row("Mozilla/5.0 (Windows NT 10.0) \(webKit) Chrome/131.0 Safari/537.36 Edg/131.0", .windows, .edge),
        Row("Mozilla/5.0 (Windows NT 10.0) \(webKit) Chrome/131.0 Safari/537.36 OPR/116.0", .windows, .opera),
        Row(
            "Mozilla/5.0 (Linux; Android 10; K) \(webKit) SamsungBrowser/27.0 Chrome/125.0 Mobile Safari/537.36",
            .android, .samsung),
        Row("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.1 Safari/605.1.15", .mac, .safari),
        Row("Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) CriOS/131.0 Mobile Safari/604.1", .iPhone, .chrome),
        Row("Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) FxiOS/133.0 Mobile Safari/605.1.15", .iPad, .firefox),
        Row(
            "Mozilla/5.0 (X11; Linux x86_64) \(webKit) Chrome/131.0.0.0 Safari/537.36",
            hints: "\"Brave\";v=\"131\", \"Chromium\";v=\"131\"", .linux, .brave),
        Row("curl/8.5.0", .unknown, nil), Row("", .unknown, nil),
        Row("<script>alert(1)</script>", .unknown, nil),
    ]

    @Test("is from a fixed table, and what is stored says it again", arguments: rows)
    func table(_ row: Row) throws {
        var headers = HTTPFields()
        headers[.userAgent] = row.agent
        if !row.hints.isEmpty { headers[try #require(HTTPField.Name("Sec-CH-UA"))] = row.hints }
        let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/", headerFields: headers)
        let device = BrowserDevice(Request(head: head, body: .init(buffer: .init())))
        #expect(device.system == row.system && device.browser == row.browser)
        let stored = BrowserDevice(stored: device.stored)
        #expect(stored.system == row.system && stored.browser == row.browser)
    }

    @Test("of a row that an earlier version has stored is the system alone, and of a text that is none nothing")
    func earlier() {
        #expect(BrowserDevice(stored: "linux").system == .linux && BrowserDevice(stored: "linux").browser == nil)
        for text in [nil, "", "toaster", "toaster chrome", "linux toaster"] {
            #expect(BrowserDevice(stored: text).browser == nil || BrowserDevice(stored: text).system == .unknown)
        }
    }
}
