import Foundation
import SSOShared
import Testing

@testable import TestKit

@Suite("Addresses as Python's email and idna read them", .deployment)
struct AddressReadersTests {
    /// Prints each address that both refuse, and each domain that idna maps to another ASCII form.
    private static let script = """
        import json, sys
        from email.headerregistry import Address
        import idna

        def reads(call):
            try:
                call()
                return True
            except Exception:
                return False

        for typed, address, domain in json.load(open(sys.argv[1], encoding="utf-8")):
            ascii_form = address.rpartition("@")[2]
            known = reads(lambda: idna.encode(ascii_form, uts46=True))
            if not known and not reads(lambda: Address(addr_spec=address)):
                print("refused by both", ascii(typed), address)
            if domain and reads(lambda: idna.encode(domain, uts46=True)):
                if idna.encode(domain, uts46=True).decode().lower().rstrip(".") != ascii_form:
                    print("another domain", ascii(domain), ascii_form)
        """

    @Test("of 100,000 damaged addresses none is accepted that both refuse, and no domain becomes another one")
    func damaged() async throws {
        let folder = try TemporaryFolder()
        try folder.write(Self.script, to: "read.py")
        guard try await Self.run(["-c", "import idna"], in: folder).isEmpty else {
            try Test.cancel("Python has no idna (script/setup --test-all)")
        }
        var (addresses, rows): (DamagedAddresses, [[String]]) = (DamagedAddresses(seed: 7), [])
        for _ in 0..<100_000 {
            let typed = addresses.next()
            guard let address = try? Entered.address(typed) else { continue }
            rows.append([typed, address.text, Self.domain(of: typed)])
        }
        #expect(rows.count > 10_000)
        try folder.write(String(decoding: JSONEncoder().encode(rows), as: UTF8.self), to: "rows.json")
        #expect(try await Self.run(["read.py", "rows.json"], in: folder) == "")
    }

    /// The part after the @ of a text that is nothing but an address; empty for any other, and for one with a character that idna
    /// refuses and people do not see.
    private static func domain(of typed: String) -> String {
        let parts = typed.unicodeScalars.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let domain = parts.last, !domain.isEmpty else { return "" }
        let isBare = domain.allSatisfy { scalar in
            let byte = scalar.isASCII ? UInt8(scalar.value) : 0x61
            return (byte.isASCIILetter || byte.isASCIIDigit || byte == 0x2d || byte == 0x2e)
                && !scalar.properties.isDefaultIgnorableCodePoint
        }
        return isBare && domain.last != "." ? String(domain) : ""
    }

    /// What it prints, or the word that it failed.
    private static func run(_ arguments: [String], in folder: TemporaryFolder) async throws -> String {
        let environment = Programs.inherited.merging([
            "PYTHONPATH": TestVectors.repository.appending(path: ".build/schemathesis").path(), "HOME": folder.path,
            "PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8",
        ]) { $1 }
        let child = try ChildProcess(
            "/usr/bin/env", ["python3"] + arguments, environment: environment, folder: folder.path,
            standardOutput: folder.path(of: "stdout"), standardError: folder.path(of: "stderr"))
        guard case .code(0) = try await child.waitForExit() else { return "failed: \(folder.text(of: "stderr"))" }
        return folder.text(of: "stdout")
    }
}
