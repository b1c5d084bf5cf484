import Testing

@testable import Counterparts
@testable import IdPProviders

/// Entries of the providers file that are refused, each with all its messages. An entry begins in line 2 with id, name, kind.
enum WrongProviders {
    struct Row: Sendable, CustomTestStringConvertible {
        let entry: String
        /// Each as it follows the path: `LINE: words`.
        let problems: [String]
        var testDescription: String { problems.joined(separator: " | ") }

        init(_ kind: Provider.Kind, _ changes: [String], _ problems: String...) {
            (entry, self.problems) = (ProvidersFixture.entry(kind, changes), problems)
        }
    }

    static let all = general + issuers + secrets + requests

    private static let general = [
        Row(.oidc, ["colour: red"], "8: unknown key \"colour\". \(keys)"),
        Row(.oidc, ["client-id: x"], "8: unknown key \"client-id\". \(keys)"),
        Row(.oidc, ["Issuer: https://a.example"], "8: unknown key \"Issuer\". \(keys)"),
        Row(.oidc, ["<<: {a: b}"], "8: unknown key \"<<\". \(keys)"),
        Row(.oidc, ["-id"], "2: id is missing. For example id: work"),
        Row(.oidc, ["id: []"], "2: id must be text. For example id: work"),
        Row(.oidc, ["id: \"\""], "2: id must not be empty. For example id: work"),
        Row(.oidc, ["id: Work"], "2: id \"Work\" \(idRule)"),
        Row(.oidc, ["id: -work"], "2: id \"-work\" \(idRule)"),
        Row(.oidc, ["id: my_work"], "2: id \"my_work\" \(idRule)"),
        Row(.oidc, ["id: a/b"], "2: id \"a/b\" \(idRule)"),
        Row(.oidc, ["id: wörk"], "2: id \"wörk\" \(idRule)"),
        Row(
            .oidc, ["id: \(String(repeating: "a", count: 33))"],
            "2: id \"\(String(repeating: "a", count: 33))\" \(idRule)"),
        Row(.oidc, ["id: email"], "2: id \"email\" \(reserved)"),
        Row(.oidc, ["id: mail"], "2: id \"mail\" \(reserved)"),
        Row(.oidc, ["id: native"], "2: id \"native\" \(reserved)"),
        Row(.oidc, ["id: sso"], "2: id \"sso\" \(reserved)"),
        Row(.oidc, ["id: complete"], "2: id \"complete\" \(reserved)"),
        Row(.oidc, ["-name"], "2: name is missing. For example name: Work account"),
        Row(.oidc, ["name: {a: b}"], "3: name must be text. For example name: Work account"),
        Row(
            .oidc, ["name: \"\\u202e\""],
            "3: name must be visible characters on one line, for example Partner service. The value has a direction mark at "
                + "position 1."
        ),
        Row(
            .oidc, ["name: \"Work\\nnow\""],
            "3: name must be visible characters on one line, for example Partner service. The value has a line end at "
                + "position 5."),
        Row(
            .oidc, ["name: \(String(repeating: "n", count: 81))"], "3: name has 81 characters; at most 80 are allowed."),
        Row(.oidc, ["-kind"], "2: kind is missing. For example kind: oidc"),
        Row(.oidc, ["kind: OIDC"], "4: kind \"OIDC\" must be oidc, apple, github, google or microsoft."),
        Row(.oidc, ["kind: saml"], "4: kind \"saml\" must be oidc, apple, github, google or microsoft."),
        Row(.oidc, ["kind: [oidc]"], "4: kind must be text. For example kind: oidc"),
        Row(.oidc, ["-client_id"], "2: client_id is missing. For example client_id: main-app"),
        Row(.oidc, ["client_id: \"a b\""], "6: client_id of \"work\" \(clientIDRule)"),
        Row(.oidc, ["client_id: ä"], "6: client_id of \"work\" \(clientIDRule)"),
        Row(
            .oidc, ["client_id: \(String(repeating: "c", count: 256))"], "6: client_id of \"work\" \(clientIDRule)"),
    ]

    private static let issuers = [
        Row(.oidc, ["-issuer"], "2: issuer is missing. For example issuer: https://idp.example.org/realms/staff"),
        Row(.microsoft, ["-issuer"], "2: issuer is missing. For example issuer: https://idp.example.org/realms/staff"),
        Row(.oidc, ["issuer: [a]"], "5: issuer must be text. For example issuer: https://idp.example.org/realms/staff"),
        Row(
            .oidc, ["issuer: idp.example.org"],
            "5: issuer of \"work\": \"idp.example.org\" does not begin with https://. \(use)"),
        Row(
            .oidc, ["issuer: ftp://a.example"],
            "5: issuer of \"work\": \"ftp://a.example\" has the scheme \"ftp\" instead of https. \(use)"),
        Row(
            .oidc, ["issuer: http://a.example"],
            "5: issuer of \"work\": \"http://a.example\" must be https; http is for loopback hosts only."),
        Row(
            .oidc, ["issuer: http://localhost.a.example"],
            "5: issuer of \"work\": \"http://localhost.a.example\" must be https; http is for loopback hosts only."),
        Row(
            .oidc, ["issuer: HTTPS://a.example"],
            "5: issuer of \"work\": \"HTTPS://a.example\" must begin with https:// in lower case."),
        Row(.oidc, ["issuer: https://"], "5: issuer of \"work\": \"https://\" has no host. \(use)"),
        Row(
            .oidc, ["issuer: https://a.example:0"],
            "5: issuer of \"work\": \"https://a.example:0\" has the port \"0\"; a port is a number from 1 to 65535. \(use)"
        ),
        Row(
            .oidc, ["issuer: https://a.example/?"],
            "5: issuer of \"work\": \"https://a.example/?\" has a query or a fragment. Leave it out."),
        Row(
            .oidc, ["issuer: \"https://a.example/#x\""],
            "5: issuer of \"work\": \"https://a.example/#x\" has a query or a fragment. Leave it out."),
        Row(
            .oidc, ["issuer: https://ann:pa55-word@a.example"],
            "5: issuer of \"work\": has a user name in it. Leave it out, as in https://idp.example.org/realms/staff."),
        Row(
            .oidc, ["issuer: https://ä.example"],
            "5: issuer of \"work\": \(issuerForm) Write its host as xn--4ca.example."),
        Row(.oidc, ["issuer: \"https://a.example/a b\""], "5: issuer of \"work\": \(issuerForm)"),
        Row(
            .oidc, ["issuer: https://a.example/\(String(repeating: "i", count: 240))"],
            "5: issuer of \"work\": \(issuerForm)"),
        Row(
            .oidc, ["issuer: 'https://a.example\\b'"],
            "5: issuer of \"work\": \"https://a.example\\b\" has a space or another character that a URL cannot have. \(use)"
        ),
        Row(
            .oidc, ["issuer: https://a.example/%zz"],
            "5: issuer of \"work\": \"https://a.example/%zz\" has a % without two hexadecimal digits after it."),
        Row(
            .oidc, ["issuer: \"https://a.example/{x}\""],
            "5: issuer of \"work\": \"https://a.example/{x}\" has a character that must be percent-encoded."),
        Row(
            .oidc, ["issuer: https://a.example/*"],
            "5: issuer of \"work\": \"https://a.example/*\" has a wildcard. Use the exact issuer of the provider."),
        Row(
            .oidc, ["issuer: https://a.example/b/../c"],
            "5: issuer of \"work\": \"https://a.example/b/../c\" has . or .. as a part of its path, which browsers take out. Write "
                + "the path as they send it."
        ),
        Row(
            .oidc, ["issuer: https://a.example/.well-known/openid-configuration"],
            "5: issuer of \"work\": \"https://a.example/.well-known/openid-configuration\" is the address of the discovery document. Leave out /.well-known/openid-configuration."
        ),
        Row(
            .github, ["issuer: https://github.example.org/"],
            "7: issuer of \"github\": \"https://github.example.org/\" \(origin)"),
        Row(
            .github, ["issuer: https://github.example.org/api/v3"],
            "7: issuer of \"github\": \"https://github.example.org/api/v3\" \(origin)"),
        Row(.microsoft, ["issuer: \(tenant("common"))"], "5: issuer of \"microsoft\": \(anyTenant("common"))"),
        Row(
            .microsoft, ["issuer: \(tenant("organizations"))"],
            "5: issuer of \"microsoft\": \(anyTenant("organizations"))"),
        Row(.microsoft, ["issuer: \(tenant("consumers"))"], "5: issuer of \"microsoft\": \(anyTenant("consumers"))"),
        Row(
            .microsoft, ["issuer: https://login.microsoftonline.com/Common/v2.0"],
            "5: issuer of \"microsoft\": \(anyTenant("common").replacing("com/common", with: "com/Common"))"),
    ]

    private static let secrets = [
        Row(.google, ["-client_secret"], "2: client_secret is missing. \(secretExample)"),
        Row(.github, ["-client_secret"], "2: client_secret is missing. \(secretExample)"),
        Row(.microsoft, ["-client_secret"], "2: client_secret is missing. \(secretExample)"),
        Row(.oidc, ["client_secret: hidden-7a1f03c9"], "7: client_secret of \"work\" \(reference) \(secretExample)"),
        Row(.oidc, ["client_secret: ENV:SECRET"], "7: client_secret of \"work\" \(reference) \(secretExample)"),
        Row(.oidc, ["client_secret: [env:SECRET]"], "7: client_secret must be text. \(secretExample)"),
        Row(.oidc, ["client_secret:"], "7: client_secret must not be empty. \(secretExample)"),
        Row(
            .oidc, ["client_secret: env:MISSING"],
            "7: client_secret: the environment has no MISSING. Set it, or use file:PATH."),
        Row(
            .oidc, ["client_secret: \"env:\""],
            "7: client_secret: env: must name a variable of letters, digits and _."),
        Row(
            .oidc, ["client_secret: file:/nowhere/secret"],
            "7: client_secret of \"work\": cannot read the file /nowhere/secret. It must be a readable regular file of at most 64 KiB."
        ),
        Row(
            .oidc, ["client_secret: credential:work"],
            "7: client_secret: credential:work needs $CREDENTIALS_DIRECTORY, which systemd sets. Add LoadCredential=work:PATH to the unit, or use file:PATH."
        ),
        Row(
            .oidc, ["client_secret: credential:../work"],
            "7: client_secret: credential:../work must name a credential, without / and spaces."),
        Row(.oidc, ["client_secret: env:SPACE"], "7: client_secret of \"work\" \(secretForm)"),
        Row(.oidc, ["client_secret: env:LINES"], "7: client_secret of \"work\" \(secretForm)"),
        Row(.oidc, ["client_secret: env:UMLAUT"], "7: client_secret of \"work\" \(secretForm)"),
        Row(
            .oidc, ["team_id: ABCDE12345"], "8: team_id is not for kind oidc, only for apple. Remove it."),
        Row(
            .google, ["private_key: env:KEY"], "7: private_key is not for kind google, only for apple. Remove it."),
        Row(
            .apple, ["client_secret: env:SECRET"],
            "9: client_secret is not for kind apple, only for oidc, github, google or microsoft. Remove it."),
        Row(.oidc, ["token_endpoint_auth_method: private_key_jwt"], "8: \(authMethod("private_key_jwt"))"),
        Row(
            .google, ["token_endpoint_auth_method: Client_Secret_Post"],
            "7: \(authMethod("Client_Secret_Post", "google"))"),
        Row(.oidc, ["token_endpoint_auth_method: basic"], "8: \(authMethod("basic"))"),
        Row(
            .oidc, ["token_endpoint_auth_method: [none]"],
            "8: token_endpoint_auth_method must be text. For example token_endpoint_auth_method: client_secret_post"),
        Row(
            .oidc, ["token_endpoint_auth_method: none"],
            "8: token_endpoint_auth_method of \"work\" has the value none, which is for public clients. Remove it, or remove "
                + "client_secret."
        ),
        Row(
            .oidc, ["-client_secret", "token_endpoint_auth_method: client_secret_post"],
            "7: token_endpoint_auth_method of \"work\" is client_secret_post, which needs client_secret. A public client has none."
        ),
        Row(
            .apple, ["token_endpoint_auth_method: client_secret_post"],
            "9: token_endpoint_auth_method is not for kind apple, only for oidc, google or microsoft. Remove it."),
        Row(
            .github, ["token_endpoint_auth_method: private_key_jwt"],
            "7: token_endpoint_auth_method is not for kind github, only for oidc, google or microsoft. Remove it."),
        Row(.apple, ["-team_id"], "2: team_id is missing. For example team_id: ABCDE12345"),
        Row(.apple, ["-key_id"], "2: key_id is missing. For example key_id: ABCDE12345"),
        Row(.apple, ["team_id: ABCDE1234"], "6: team_id of \"apple\" \(tenCharacters) For example team_id: ABCDE12345"),
        Row(
            .apple, ["team_id: abcde12345"], "6: team_id of \"apple\" \(tenCharacters) For example team_id: ABCDE12345"),
        Row(.apple, ["key_id: KEY-123456"], "7: key_id of \"apple\" \(tenCharacters) For example key_id: ABCDE12345"),
        Row(
            .apple, ["-private_key"],
            "2: private_key is missing. For example private_key: credential:apple.p8"),
        Row(
            .apple, ["private_key: MIGTAgEAMBMGByqGSM49"],
            "8: private_key of \"apple\" \(reference) For example private_key: credential:apple.p8"),
        Row(.apple, ["private_key: env:SECRET"], "8: private_key of \"apple\" \(keyForm)"),
        Row(.apple, ["private_key: env:PUBLIC"], "8: private_key of \"apple\" \(keyForm)"),
        Row(.apple, ["private_key: env:P384"], "8: private_key of \"apple\" \(keyForm)"),
        Row(.apple, ["private_key: env:CUT"], "8: private_key of \"apple\" \(keyForm)"),
    ]

    private static let requests = [
        Row(.oidc, ["scopes: openid"], "8: scopes must be a list with at least one item. \(scopes)"),
        Row(.oidc, ["scopes: []"], "8: scopes must be a list with at least one item. \(scopes)"),
        Row(.oidc, ["scopes: [openid, [email]]"], "8: scopes must be a list of text items. \(scopes)"),
        Row(.oidc, ["scopes: [email, profile]"], "8: scopes of \"work\" \(noOpenID)"),
        Row(.apple, ["scopes: [name, email]"], "9: scopes of \"apple\" \(noOpenID)"),
        Row(.google, ["scopes: [OpenID]"], "7: scopes of \"google\" \(noOpenID)"),
        Row(.oidc, ["scopes: [openid, openid]"], "8: scopes: \"openid\" appears twice."),
        Row(
            .oidc, ["scopes: [openid, \"email profile\"]"],
            "8: scopes of \"work\": \"email profile\" must be ASCII without spaces, quotation marks and backslashes. \(scopes)"
        ),
        Row(
            .oidc, ["scopes: [openid, \"\"]"],
            "8: scopes of \"work\": \"\" must be ASCII without spaces, quotation marks and backslashes. \(scopes)"),
        Row(.oidc, ["response_mode: fragment"], "8: response_mode \"fragment\" must be query or form_post."),
        Row(
            .apple, ["response_mode: query"],
            "9: response_mode of \"apple\" must be form_post, because Apple sends name and email in no other way."),
        Row(
            .github, ["response_mode: form_post"],
            "7: response_mode of \"github\" must be query, because GitHub has no other."),
        Row(
            .oidc, ["prompt: none"],
            "8: prompt of \"work\" must not be none: a user who is not signed in at the provider could not sign in. For example prompt: select_account"
        ),
        Row(.oidc, ["prompt: always"], "8: prompt \"always\" of \"work\" must be login, consent or select_account."),
        Row(.google, ["prompt: login"], "7: prompt \"login\" of \"google\" must be consent or select_account."),
        Row(.github, ["prompt: consent"], "7: prompt \"consent\" of \"github\" must be select_account."),
        Row(
            .apple, ["prompt: login"],
            "9: prompt is not for kind apple, only for oidc, github, google or microsoft. Remove it."),
        Row(.oidc, ["email: always"], "8: email \"always\" must be trust-if-verified or never."),
        Row(
            .oidc, ["new_accounts: yes"],
            "8: new_accounts \"yes\" must be true or false. For example new_accounts: false"),
        Row(
            .oidc, ["allow_private: 1"],
            "8: allow_private \"1\" must be true or false. For example allow_private: false"),
        Row(
            .oidc, ["allow_private: [true]"], "8: allow_private must be text. For example allow_private: false"),
        Row(
            .oidc, ["allowed_domains: example.org"],
            "8: allowed_domains must be a list with at least one item. For example allowed_domains: [example.org]"),
        Row(.oidc, ["allowed_domains: [\"*@example.org\"]"], domain("*@example.org")),
        Row(.oidc, ["allowed_domains: [\"@example.org\"]"], domain("@example.org")),
        Row(.oidc, ["allowed_domains: [exa_mple.example]"], domain("exa_mple.example")),
        Row(.oidc, ["allowed_domains: [localhost]"], domain("localhost")),
        Row(.oidc, ["allowed_domains: [192.0.2.1]"], domain("192.0.2.1")),
        Row(.oidc, ["allowed_domains: [example..org]"], domain("example..org")),
        // A joiner alone makes no domain, and no letter comes before a combining mark.
        Row(.oidc, ["allowed_domains: [\"\u{301}a.example\"]"], domain("\u{301}a.example")),
        Row(
            .oidc, ["email: never", "allowed_domains: [example.org]"],
            "9: allowed_domains of \"work\" needs email: trust-if-verified. With email: never, no user could sign in."),
        Row(
            .oidc, ["owns_addresses: example.org"],
            "8: owns_addresses must be a list with at least one item. For example owns_addresses: [example.org]"),
        Row(.oidc, ["owns_addresses: [\"*@example.org\"]"], owned("*@example.org")),
        Row(.oidc, ["owns_addresses: [\"*.example.org\"]"], owned("*.example.org")),
        Row(.oidc, ["owns_addresses: [exa_mple.example]"], owned("exa_mple.example")),
        Row(.oidc, ["owns_addresses: [localhost]"], owned("localhost")),
        Row(.oidc, ["owns_addresses: [example..org]"], owned("example..org")),
        Row(
            .oidc, ["owns_addresses: [example.org, example.org]"],
            "8: owns_addresses: \"example.org\" appears twice."),
        Row(
            .oidc, ["email: never", "owns_addresses: [example.org]"],
            "9: owns_addresses of \"work\" needs email: trust-if-verified. With email: never, its addresses are ignored."
        ),
        Row(
            .oidc, ["algorithms: [HS256]"], "8: algorithms of \"work\": \"HS256\" must be RS256, ES256, PS256 or EdDSA."
        ),
        Row(.oidc, ["algorithms: [none]"], "8: algorithms of \"work\": \"none\" must be RS256, ES256, PS256 or EdDSA."),
        Row(
            .oidc, ["algorithms: [rs256]"], "8: algorithms of \"work\": \"rs256\" must be RS256, ES256, PS256 or EdDSA."
        ),
        Row(.oidc, ["algorithms: [RS256, RS256]"], "8: algorithms: \"RS256\" appears twice."),
        Row(
            .github, ["algorithms: [RS256]"],
            "7: algorithms is not for kind github, only for oidc, apple, google or microsoft. Remove it."),
        Row(
            .oidc, ["app_id: com.example.app"], "8: app_id is not for kind oidc, only for apple. Remove it."),
        Row(
            .apple, ["app_id: ABCDE12345"],
            "9: app_id of \"apple\" must be the identifier of the primary App ID, without the team. For example app_id: com.example.app"
        ),
        Row(
            .oidc, ["id: Work", "issuer: http://a.example", "scopes: [email]", "colour: red"],
            "9: unknown key \"colour\". \(keys)", "2: id \"Work\" \(idRule)",
            "5: issuer of \"?\": \"http://a.example\" must be https; http is for loopback hosts only.",
            "8: scopes of \"?\" \(noOpenID)"),
    ]

    private static let keys =
        "The keys are id, name, label, logo, kind, issuer, client_id, client_secret, token_endpoint_auth_method, team_id, key_id, private_key, app_id, scopes, response_mode, "
        + "allowed_domains, owns_addresses, prompt, email, new_accounts, allow_private, algorithms."
    private static let idRule = "must be at most 32 lower-case letters, digits and -, for example work."
    private static let reserved = "is part of another path of this program. Use another word."
    private static let clientIDRule = "must be at most 255 ASCII characters without spaces, as the provider shows it."
    private static let use = "Use, for example, https://idp.example.org/realms/staff."
    private static let issuerForm =
        "must be ASCII without spaces, of at most 255 bytes, such as https://idp.example.org/realms/staff."
    private static let origin = "must be an origin without a slash at its end, such as https://github.example.org."
    private static let secretExample = "For example client_secret: credential:work"
    private static let reference = "must be env:NAME, file:PATH or credential:NAME. This file holds no secret."
    private static let secretForm = "must be one line of at most 4096 ASCII characters without spaces."
    private static let tenCharacters = "must be 10 upper-case letters and digits."
    private static let keyForm =
        "must be a P-256 private key in PEM form, as in the .p8 file from Apple. Its first line is -----BEGIN PRIVATE KEY-----."
    private static let scopes = "For example scopes: [openid, email, profile]"
    private static let noOpenID = "must have openid, without which there is no ID token. \(scopes)"

    private static func authMethod(_ value: String, _ id: String = "work") -> String {
        "token_endpoint_auth_method \"\(value)\" of \"\(id)\" must be client_secret_basic, client_secret_post or none. "
            + "Register the client at the provider with one of these."
    }

    private static func tenant(_ word: String) -> String { "https://login.microsoftonline.com/\(word)/v2.0" }
    private static func anyTenant(_ word: String) -> String {
        "\"\(tenant(word))\" is for accounts of any tenant (\(word)). Use your tenant's id in place of that word: \(tenant("TENANT"))."
    }
    private static func domain(_ text: String) -> String {
        "8: allowed_domains of \"work\": \"\(text)\" must be a domain without *@, such as example.org."
    }

    private static func owned(_ text: String) -> String {
        "8: owns_addresses of \"work\": \"\(text)\" must be a domain without *@, such as example.org. "
            + "Name each subdomain too."
    }
}
