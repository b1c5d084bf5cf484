import Testing

@testable import TestKit
@testable import WellKnown

@Suite("Android apps", .rules)
struct AndroidAppTests {
    static let colons = (0..<32).map { "0" + String($0 % 10) }.joined(separator: ":")
    static let other = Array(repeating: "AB", count: 32).joined(separator: ":")

    @Test("A fingerprint is read with or without colons in either case, and written in upper case with colons")
    func fingerprintForms() throws {
        for text in [
            Self.other, Self.other.lowercased(), Self.other.filter { $0 != ":" },
            Self.other.lowercased().filter { $0 != ":" },
        ] {
            #expect(try #require(CertificateFingerprint(text)).description == Self.other)
        }
    }

    @Test(
        "A text that is not a SHA-256 is rejected as a fingerprint",
        arguments: [
            "", "AB", String(colons.dropLast()), String(colons.dropLast(3)), colons + ":00", colons + ":",
            colons.replacing(":", with: " "), colons.replacing(":", with: "-"), "G" + colons.dropFirst(),
            "：" + colons.dropFirst(3), colons.replacing("01:02", with: "0102:"),
            String(repeating: "A", count: 63), String(repeating: "A", count: 65), String(repeating: "a", count: 128),
            Array(repeating: "AB", count: 20).joined(separator: ":"), "٠" + String(repeating: "A", count: 62),
        ])
    func fingerprintFaults(text: String) {
        #expect(CertificateFingerprint(text) == nil)
    }

    @Test("An item is a package name and one or more fingerprints")
    func reads() throws {
        let one = try AndroidApp("com.example.app=\(Self.colons)")
        #expect(one.packageName == "com.example.app")
        #expect(one.fingerprints.map(\.description) == [Self.colons])
        let two = try AndroidApp(" com.example.App_2 = \(Self.other.lowercased()) ; \(Self.colons) ")
        #expect(two.packageName == "com.example.App_2")
        #expect(two.fingerprints.map(\.description) == [Self.other, Self.colons])
    }

    @Test(
        "An invalid Android app is rejected with the reason",
        arguments: [
            ("com.example.app", "no ="),
            ("com.example.app=", "empty"),
            ("com.example.app=;", "empty"),
            ("com.example.app=\(other);", "empty"),
            ("com.example.app=AB:CD", "fingerprint 1"),
            ("com.example.app=\(other);AB:CD", "fingerprint 2"),
            ("com.example.app=\(other)=\(other)", "fingerprint 1"),
            ("=\(other)", "package name"),
            ("app=\(other)", "package name"),
            ("com.example.=\(other)", "package name"),
            (".example=\(other)", "package name"),
            ("com.2example=\(other)", "package name"),
            ("com.example-app=\(other)", "package name"),
            ("com.exämple=\(other)", "package name"),
            ("com.example app=\(other)", "package name"),
            ("com.example.*=\(other)", "package name"),
            ("com.example.app=\(other);\(other.lowercased())", "twice"),
        ])
    func refuses(text: String, reason: String) throws {
        let fault = try #require(throws: AssociationError.self) { try AndroidApp(text) }
        #expect(fault.description.contains(reason))
    }

    @Test("A list contains every package only once")
    func lists() throws {
        #expect(try AndroidApp.list("").isEmpty)
        let apps = try AndroidApp.list("com.example.a=\(Self.other),\ncom.example.b=\(Self.other)")
        #expect(apps.map(\.packageName) == ["com.example.a", "com.example.b"])
        #expect(throws: AssociationError.duplicate(item: "com.example.a")) {
            try AndroidApp.list("com.example.a=\(Self.other),com.example.a=\(Self.colons)")
        }
        #expect(throws: AssociationError.emptyItem(position: 2)) {
            try AndroidApp.list("com.example.a=\(Self.other),")
        }
    }
}
