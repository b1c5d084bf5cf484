import Testing

@testable import SSOWeb
@testable import TestKit

@Suite("Settings as platforms give them", .rules)
struct PlatformSettingsTests {
    @Test(
        "an address without a host names the form for both families",
        arguments: [":8097", "*:8097", ":::8097", "[::]", "[::", "8097", "0.0.0.0"])
    func listen(text: String) {
        let error = #expect(throws: SettingError.self) { try ListenAddress(text) }
        #expect(error?.description.contains("[::]:8080 for all addresses of IPv4 and IPv6") == true)
    }

    @Test("all addresses are those of IPv4 on a machine without IPv6, and every other host stays")
    func bound() throws {
        let all = try ListenAddress("[::]:8097")
        #expect(all.bound(hasIPv6: true) == "::" && all.bound(hasIPv6: false) == "0.0.0.0")
        #expect("\(all)" == "[::]:8097")
        for host in ["[::1]", "127.0.0.1", "0.0.0.0", "localhost"] {
            let address = try ListenAddress("\(host):8097")
            #expect(address.bound(hasIPv6: false) == address.host)
        }
    }

    @Test(
        "the variables of a Service of Kubernetes are one line, which names the switch; a misspelt setting is its own")
    func services() {
        let environment = [
            "IDP_PORT": "tcp://10.96.0.12:8080", "IDP_PORT_8080_TCP": "tcp://10.96.0.12:8080",
            "IDP_PORT_8080_TCP_ADDR": "10.96.0.12", "IDP_PORT_8080_TCP_PORT": "8080",
            "IDP_PORT_8080_TCP_PROTO": "tcp", "IDP_SERVICE_HOST": "10.96.0.12", "IDP_SERVICE_PORT": "8080",
            "IDP_SERVICE_PORT_HTTP": "8080", "IDP_LISTN": "x",
        ]
        let reader = SettingsReader(SettingsSource(environment))
        reader.warnOfUnknown(prefix: "IDP_", known: ["IDP_LISTEN"], secrets: [])
        #expect(
            reader.warnings == [
                "IDP_LISTN: unknown setting in the environment, ignored. Did you mean IDP_LISTEN?",
                "IDP_PORT and 7 more of this kind: variables of a Service of Kubernetes, ignored. Set "
                    + "enableServiceLinks: false in the pod, or name the Service otherwise.",
            ])
        let unseen = SettingsReader(SettingsSource(["\u{feff}IDP_LISTEN": "x", "IDP_LISTEN\u{200b}": "x"]))
        unseen.warnOfUnknown(prefix: "IDP_", known: ["IDP_LISTEN"], secrets: [])
        #expect(
            unseen.warnings == [
                "IDP_LISTEN\u{200b}: unknown setting in the environment, ignored. It has a zero-width space at position 11. "
                    + "Did you mean IDP_LISTEN?",
                "\u{feff}IDP_LISTEN: unknown setting in the environment, ignored. It has a byte order mark at position 1. "
                    + "Did you mean IDP_LISTEN?",
            ])
        let typed = SettingsReader(SettingsSource(["IDP_PORT": "8080"]))
        typed.warnOfUnknown(prefix: "IDP_", known: ["IDP_LISTEN"], secrets: [])
        #expect(typed.warnings.first?.hasPrefix("IDP_PORT: unknown setting in the environment, ignored.") == true)
    }
}
