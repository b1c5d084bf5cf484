/// Example files for the rules of assetlinks.json, by code. Each is an error that the text alone shows.
enum AssetLinksExample {
    /// A SHA-256 digest that belongs to no real certificate.
    static let key =
        "3A:5F:81:C2:0D:94:E7:16:B8:4A:6C:F3:29:D5:70:1E:8B:42:CD:07:9E:63:F1:5A:34:A8:DC:21:7F:B6:0C:95"
    static let otherKey =
        "C4:19:7E:A2:5B:D8:03:6F:91:E4:2C:B7:58:0A:F6:3D:84:1F:CB:65:9A:27:E0:73:4D:BE:12:88:F5:36:A9:60"

    static func statement(
        relation: String =
            #"["delegate_permission/common.handle_all_urls", "delegate_permission/common.get_login_creds"]"#,
        package: String = "com.acme.shop", keys: String = "\"\(key)\", \"\(otherKey)\"", beside: String = ""
    ) -> String {
        """
        {
          "relation": \(relation),
          "target": {"namespace": "android_app", "package_name": "\(package)", "sha256_cert_fingerprints": [\(keys)]}\(beside)
        }
        """
    }

    static func dynamic(_ components: String) -> String {
        statement(
            beside: ", \"relation_extensions\": {\"delegate_permission/common.handle_all_urls\": "
                + "{\"dynamic_app_link_components\": [\(components)]}}")
    }

    static func web(_ site: String, relation: String = "delegate_permission/common.get_login_creds") -> String {
        "{\"relation\": [\"\(relation)\"], \"target\": {\"namespace\": \"web\", \"site\": \"\(site)\"}}"
    }

    private static func list(_ statements: String...) -> String { "[" + statements.joined(separator: ", ") + "]\n" }
    private static let sound = list(statement())
    private static func keys(_ keys: String) -> String { list(statement(keys: keys)) }
    private static func included(_ addresses: [String]) -> String {
        "[" + addresses.map { "{\"include\": \"\($0)\"}" }.joined(separator: ", ") + "]\n"
    }
    private static let names = (1...11).map { "https://www.acme.com/links\($0).json" }
    private static let relation = #"["delegate_permission/common.handle_all_urls"]"#

    /// The incorrect and the corrected text for each code.
    static let all: [String: (wrong: String, right: String)] = [
        "dal.empty-list": ("[]\n", sound),
        "dal.statement-type": ("[\"com.acme.shop\", \(statement())]\n", sound),
        "dal.no-relation": (
            sound.replacing(
                "\"relation\": [\"delegate_permission/common.handle_all_urls\", \"delegate_permission/common.get_login_creds\"],\n  ",
                with: ""),
            sound
        ),
        "dal.relation-type": (list(statement(relation: "\"delegate_permission/common.handle_all_urls\"")), sound),
        "dal.relation-syntax": (list(statement(relation: #"["common.handle_all_urls"]"#)), sound),
        "dal.relation-unknown": (
            list(web("https://shop.acme.com", relation: "looksalike/allowlist")),
            list(web("https://shop.acme.com", relation: "lookalikes/allowlist"))
        ),
        "dal.no-target": ("[{\"relation\": \(relation)}]\n", sound),
        "dal.target-type": ("[{\"relation\": \(relation), \"target\": \"com.acme.shop\"}]\n", sound),
        "dal.namespace": (sound.replacing("\"android_app\"", with: "\"shop_app\""), sound),
        "dal.target-keys": (
            sound.replacing(
                "\"namespace\": \"android_app\",",
                with: "\"namespace\": \"android_app\", \"site\": \"https://www.acme.com\","),
            sound
        ),
        "dal.package-missing": (sound.replacing("\"package_name\": \"com.acme.shop\", ", with: ""), sound),
        "dal.package-syntax": (list(statement(package: "com.2acme.shop")), sound),
        "dal.site-syntax": (list(web("https://shop.acme.com/")), list(web("https://shop.acme.com"))),
        "dal.site-http": (list(web("http://shop.acme.com")), list(web("https://shop.acme.com"))),
        "dal.web-handle-urls": (
            list(web("https://shop.acme.com", relation: "delegate_permission/common.handle_all_urls")),
            list(web("https://shop.acme.com"))
        ),
        "dal.duplicate": (list(statement(), statement()), sound),
        "dal.split-package": (list(statement(keys: "\"\(key)\""), statement(keys: "\"\(otherKey)\"")), sound),
        "dal.unknown-key": (sound.replacing("\"relation\"", with: "\"remark\": \"shop\", \"relation\""), sound),
        "dal.missing-login-creds": (list(statement(relation: relation)), sound),
        "dal.include-with-target": (
            list(statement(beside: ", \"include\": \"https://www.acme.com/links.json\"")),
            included(["https://www.acme.com/links.json"])
        ),
        "dal.include-syntax": (included(["links.json"]), included(["https://www.acme.com/links.json"])),
        "dal.include-insecure": (
            included(["http://www.acme.com/links.json"]), included(["https://www.acme.com/links.json"])
        ),
        "dal.include-budget": (included(names), included(Array(names.dropLast()))),
        "dal.include-any": (included(["https://www.acme.com/links.json"]), sound),
        "fp.missing": (
            sound.replacing(", \"sha256_cert_fingerprints\": [\"\(key)\", \"\(otherKey)\"]", with: ""), sound
        ),
        "fp.empty": (keys(""), sound),
        "fp.type": (sound.replacing("[\"\(key)\", \"\(otherKey)\"]", with: "\"\(key)\""), sound),
        "fp.sha1": (keys("\"\(key.prefix(59))\""), sound),
        "fp.length": (keys("\"\(key.prefix(92))\""), sound),
        "fp.lowercase": (keys("\"\(key.lowercased())\""), sound),
        "fp.no-colons": (keys("\"\(key.replacing(":", with: ""))\""), sound),
        "fp.first-octet": (keys("\"\(key.dropFirst())\""), sound),
        "fp.prefix-text": (keys("\"SHA256: \(key)\""), sound),
        "fp.placeholder": (keys("\"YOUR_SHA256_FINGERPRINT\""), sound),
        "fp.base64": (keys("\"Ol+Bwg2U5xa4Smzz0nDVHotCzQeeY/FaNKjcIX+2DJU=\""), sound),
        "fp.repeating": (keys("\"\(Array(repeating: "AB", count: 32).joined(separator: ":"))\""), sound),
        "fp.known-public-debug-key": (
            keys(
                "\"FA:C6:17:45:DC:09:03:78:6F:B9:ED:E6:2A:96:2B:39:9F:73:48:F0:BB:6F:89:9B:83:32:66:75:91:03:3B:9C\""),
            sound
        ),
        "fp.play-signing": (keys("\"\(key)\""), sound),
        "fp.duplicate": (keys("\"\(key)\", \"\(key)\""), sound),
        "dyn.malformed": (list(dynamic(#"{"/": ""}, {"/": "/buy*"}"#)), list(dynamic(#"{"/": "/buy*"}"#))),
        "dyn.exclude-only": (
            list(dynamic(#"{"/": "/admin", "exclude": true}"#)),
            list(dynamic(#"{"/": "/admin", "exclude": true}, {"/": "/buy*"}"#))
        ),
        "dyn.no-catch-all": (list(dynamic(#"{"/": "/buy"}"#)), list(dynamic(#"{"/": "*"}"#))),
        "dyn.catch-all-first": (
            list(dynamic(#"{"/": "*"}, {"/": "/admin", "exclude": true}"#)),
            list(dynamic(#"{"/": "/admin", "exclude": true}, {"/": "*"}"#))
        ),
        "dyn.shadowed": (
            list(dynamic(#"{"/": "/buy*"}, {"/": "/buy/now"}, {"/": "*"}"#)),
            list(dynamic(#"{"/": "/buy*"}, {"/": "*"}"#))
        ),
        "dyn.wrong-place": (
            list(statement(beside: ", \"dynamic_app_link_components\": [{\"/\": \"*\"}]")),
            list(dynamic(#"{"/": "*"}"#))
        ),
        "dyn.wrong-relation": (
            list(dynamic(#"{"/": "*"}"#)).replacing(
                "{\"delegate_permission/common.handle_all_urls\": {",
                with: "{\"delegate_permission/common.get_login_creds\": {"),
            list(dynamic(#"{"/": "*"}"#))
        ),
        "dyn.unknown-key": (
            list(dynamic(#"{"/": "*", "caseSensitive": false}"#)), list(dynamic(#"{"/": "*"}"#))
        ),
        "dyn.query-string": (
            list(dynamic(#"{"/": "/buy", "?": "id=*"}, {"/": "*"}"#)),
            list(dynamic(#"{"/": "/buy", "?": {"id": "?*"}}, {"/": "*"}"#))
        ),
        "dyn.star-backtracking": (
            list(dynamic(#"{"/": "*/terms", "exclude": true}, {"/": "*"}"#)),
            list(dynamic(#"{"/": "/terms", "exclude": true}, {"/": "*"}"#))
        ),
        "dyn.trailing-slash": (list(dynamic(#"{"/": "/buy/*"}"#)), list(dynamic(#"{"/": "/buy*"}"#))),
        "dyn.encoded-pattern": (
            list(dynamic(#"{"/": "/caf%C3%A9"}, {"/": "*"}"#)), list(dynamic(#"{"/": "/café"}, {"/": "*"}"#))
        ),
        "dyn.bogus-schema": (
            list(statement(beside: ", \"exclude\": {\"paths\": [\"/admin/*\"]}")),
            list(dynamic(#"{"/": "/admin/*", "exclude": true}, {"/": "*"}"#))
        ),
        "dyn.fingerprint-only-15": (list(dynamic(#"{"/": "*"}"#)), sound),
    ]
}
