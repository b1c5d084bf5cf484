import Foundation
import SSOShared
import Testing

@testable import IdPInboundMail
@testable import IdPMail
@testable import TestKit

@Suite("From fields as Python's email reads them", .deployment)
struct FromReadersTests {
    /// Prints each field in which one of Python's two readers finds another address. The older one refuses a comma in a comment
    /// since Python 3.13, and an address as its own name.
    private static let script = """
        import email, email.policy, email.utils, json, sys

        for value, address in json.load(open(sys.argv[1], encoding="utf-8")):
            message = email.message_from_bytes(b"From: " + value.encode() + b"\\n\\n", policy=email.policy.default)
            new = [found.addr_spec.lower() for found in message["from"].addresses]
            old = {found.lower() for name, found in email.utils.getaddresses([value])}
            if new != [address] or old not in ({address}, {""}):
                print(ascii(value), address, new, old)
        """

    private static let address = "ann@example.com"
    /// Without dots and square brackets outside of an address: Python reads no name in them.
    private static let pieces = [
        "Ann", "Lee", " ", "\t", "\u{e4}", "'", "(", ")", "(Lee, Ann)", "(a: b; c)", "(\"x, y\")", "(5\" x)", "(\"a)",
        "(b\")", "(nested (x, y) z)", "(,)", "()", "\"", "\\", ",", ";", ":", "@", "<", ">", "=?", "<\(address)>",
        "< \(address) >", "<\(address) >", "< \(address)>", address, "eve@evil.example", "<eve@evil.example>",
        "\"Ann, Lee\"", "\"Ann <eve@evil.example>\"", "=?utf-8?Q?J=C3=B6rg?=", "=?utf-8?Q?Ann Lee?=", "=?x?Q?a?=",
        "=?utf-7?Q?+AEA-evil?=", "=?utf-7?B?K0FFQS0=?=", "=?utf-8?Q?eve=40evil.example?=", "(=?utf-8?Q?Lee=2C_Ann?=)",
        "(=?iso-2022-jp?B?GyRCJUAbKEI=?=)", "(=?utf-7?Q?+AEA-evil?=)",
    ]

    /// An address with or without brackets, and other pieces around it.
    private static func field(_ random: inout SeededRandom) -> String {
        func some() -> String {
            (0..<Int.random(in: 0...3, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
        }
        let core = [address, "<\(address)>", "< \(address) >", "\(address) <\(address)>", ""].randomElement(
            using: &random)
        return some() + (core ?? "") + some()
    }

    @Test("of 40,000 From fields each that is accepted is the same one address to Python")
    func fields() async throws {
        var (random, rows): (SeededRandom, [[String]]) = (SeededRandom(state: 13), [])
        for _ in 0..<40_000 {
            let value = Self.field(&random)
            guard let found = try? FromField.parse(Array(value.utf8)[...]) else { continue }
            rows.append([value, found.text])
        }
        #expect(rows.count > 2_000)
        let folder = try TemporaryFolder()
        try folder.write(Self.script, to: "read.py")
        try folder.write(String(decoding: JSONEncoder().encode(rows), as: UTF8.self), to: "rows.json")
        let environment = Programs.inherited.merging(["HOME": folder.path, "PYTHONIOENCODING": "utf-8"]) { $1 }
        let child = try ChildProcess(
            "/usr/bin/env", ["python3", "read.py", "rows.json"], environment: environment, folder: folder.path,
            standardOutput: folder.path(of: "stdout"), standardError: folder.path(of: "stderr"))
        guard case .code(0) = try await child.waitForExit() else {
            Issue.record("\(folder.text(of: "stderr"))")
            return
        }
        #expect(folder.text(of: "stdout") == "")
    }
}
