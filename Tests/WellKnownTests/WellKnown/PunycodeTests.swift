import Testing
import WellKnown

@testable import TestKit

@Suite("Hosts with letters outside ASCII", .rules)
struct PunycodeTests {
    @Test(
        "A host becomes Punycode as in browsers",
        arguments: [
            ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.example", "xn--bcher-kva.example"),
            ("bu\u{308}cher.example", "xn--bcher-kva.example"), ("例え.テスト", "xn--r8jz45g.xn--zckzah"),
            ("пример.испытание", "xn--e1afmkfd.xn--80akhbyknj4f"), ("例え。テスト", "xn--r8jz45g.xn--zckzah"),
            ("plain.example", "plain.example"), ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ])
    func host(written: String, sent: String) { #expect(LinkURL("https://\(written)/")?.host == sent) }

    @Test(
        "A link is escaped as browsers escape each part",
        arguments: [
            ("https://a.example/item/{id}", "https://a.example/item/%7Bid%7D"),
            ("https://a.example/a^b`c", "https://a.example/a%5Eb%60c"),
            ("https://a.example/'x'?q='{y}'", "https://a.example/'x'?q=%27{y}%27"),
            ("https://a.example/#a`b'{c}", "https://a.example/#a%60b'{c}"),
            ("https://bücher.example/x", "https://xn--bcher-kva.example/x"),
            ("https://a.example/a|b[c]", "https://a.example/a|b[c]"),
        ])
    func link(written: String, sent: String) { #expect(LinkURL(written)?.description == sent) }
}
