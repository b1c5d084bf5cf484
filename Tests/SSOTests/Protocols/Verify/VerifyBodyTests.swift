import SSOShared
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// ASVS 1.5.3: a body has one meaning for every reader, or is refused. Every signature here is correct.
@Suite("The body of a verification", .program, .alsoOnPostgres)
struct VerifyBodyTests {
    /// T stands for a token that stays valid throughout.
    static let bad: [[UInt8]] = [
        "", " ", "null", "[]", "\"T\"", "7", "T", "token=T", "{}", "{\"Token\":\"T\"}", "{\"token\":\"\"}",
        "{\"token\":null}", "{\"token\":7}", "{\"token\":true}", "{\"token\":[\"T\"]}", "{\"token\":{\"token\":\"T\"}}",
        "[{\"token\":\"T\"}]", "{\"token\":\"T\",\"token\":\"T\"}", "{\"token\":\"x\",\"token\":\"T\"}",
        "{\"token\":\"T\",\"\\u0074oken\":\"x\"}", "{\"token\":\"T\",\"x\":1,\"x\":2}", "{\"token\":\"T\",}",
        "{\"token\":\"T\"},", "{\"token\":\"T\"}{}", "{\"token\":\"T\"}\u{0}", "{\"token\":\"T\\u0000\"}",
        "{\"token\":\"T\u{0}\"}", "\u{feff}{\"token\":\"T\"}", "{'token':'T'}", "{token:\"T\"}",
        "{\"token\":\"T\"//\n}",
        "{\"token\":\"T\",\"x\":1e400}", "{\"token\":\"T\",\"x\":NaN}", "{\"token\":\"T\",\"x\":01}",
        "{\"token\":\"T\",\"x\":\"\\ud800\"}", "{\"token\":\"T\",\"x\":\"\\udc00\\ud800\"}",
        "{\"token\":\"T\",\"x\":\"\t\"}",
        "{\"token\":\"T\",\"x\":" + String(repeating: "[", count: 513) + String(repeating: "]", count: 513) + "}",
        "{\"token\":\"T\",\"x\":" + String(repeating: "{\"x\":", count: 1500),
        "{\"token\":\"T\",\"redirect_uri\":null}", "{\"token\":\"T\",\"redirect_uri\":7}",
        "{\"token\":\"T\",\"redirect_uri\":[]}", "{\"token\":\"T\",\"code_verifier\":null}",
        "{\"token\":\"T\",\"code_verifier\":1}",
    ].map { Array($0.utf8) }

    @Test("ambiguous JSON gives 400 and leaves the token unchanged")
    func refused() async throws {
        try await TestDeployment.open { deployment in
            let token = try await deployment.signedIn().token(for: deployment.client, of: deployment)
            let text = Array(token.utf8)
            var bodies = Self.bad.map { body in
                Array(
                    body.split(separator: UInt8(ascii: "T"), omittingEmptySubsequences: false).joined(separator: text))
            }
            let good = "{\"token\":\"\(token)\"}"
            bodies.append(good.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] })
            bodies.append([0xfe, 0xff] + good.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] })
            bodies.append(Array("{\"token\":\"\(token)\",\"x\":\"".utf8) + [0xff] + Array("\"}".utf8))
            bodies.append(Array("{\"token\":\"\(token)\",\"x\":\"".utf8) + [0xed, 0xa0, 0x80] + Array("\"}".utf8))
            for body in bodies {
                let reply = try await deployment.post(body, by: deployment.client)
                #expect(
                    reply.status == 400 && reply.error == "invalid_request",
                    "\(String(decoding: body.prefix(80), as: UTF8.self))")
                #expect(!reply.text.contains("sst_") && reply.header(RequestSignature.headerName) == nil)
            }
            // Spaces, escapes and keys that a newer client may send are within the grammar.
            let odd = " {\n\t\"x\" : [1, {\"token\":2}], \"\\u0074oken\" : \"\\u0073\(token.dropFirst())\" } \r\n"
            #expect(try await deployment.post(odd, by: deployment.client).status == 200)
        }
    }

    @Test(
        "the answer to a wrong body names what is wrong with it",
        .oneDeployment,
        arguments: [
            ("{}", "token is missing. The body must be one JSON object with the string \"token\""),
            ("{\"token\":7}", "token must be a string."), ("[]", "The body must be one JSON object with the string"),
            ("{\"token\":\"x\",\"redirect_uri\":null}", "redirect_uri must be a string."),
            ("{\"token\":\"x\",\"code_verifier\":1}", "code_verifier must be a string."),
            ("token=x", "The body is not JSON: "),
        ])
    func explained(body: String, words: String) async throws {
        let deployment = try TestDeployment.shared()
        let reply = try await deployment.post(body, by: deployment.client)
        #expect(reply.status == 400 && reply.explanation?.hasPrefix(words) == true, "\(reply.text)")
        #expect(deployment.log.contains("info verify_refused") && deployment.log.contains("\"cause\": body"))
    }

    @Test("a value that is not in the form of a token is a malformed token: 401, never 400 or 500")
    func shapes() async throws {
        try await TestDeployment.open { deployment in
            let client = deployment.client
            let token = try await deployment.signedIn().token(for: client, of: deployment)
            let malformed = try await deployment.verify("x", as: client)
            #expect(malformed.error == "invalid_token")
            let (rest, start) = (token.dropFirst(4), token.dropLast())
            let texts: [String] = [
                "x", "sst_", "\(start)", "\(token)A", "\(token)\n", " \(token)", "\(token)=", token.uppercased(),
                "SST_\(rest)", "\(rest)", "\(token)\u{301}", "\(start)\u{212a}", "\(start)+", "\(start)/",
                "' OR 1=1 --", String(repeating: "x", count: 7000), "%73st_\(rest)",
            ]
            for text in texts {
                #expect(try await deployment.verify(text, as: client).shape == malformed.shape, "\(text.prefix(60))")
            }
            #expect(try await deployment.verify(token, as: client).status == 200)
        }
    }
}
