import Foundation

@testable import TestKit
@testable import WellKnownTool

/// A file of Vectors/wellknown/certificates, and the values that apksigner, keytool and openssl print for it.
enum CertificateVector {
    static let new = "C1:84:5A:41:28:9D:7E:A3:5D:88:5D:FC:EB:A5:41:D0:5A:2D:68:78:9C:1E:89:D7:E7:25:04:17:29:3B:26:94"
    static let old = "E2:27:77:05:F8:C7:AF:55:F4:D1:9D:10:2B:76:B5:7F:38:A2:D5:2C:7A:19:05:21:1F:52:48:03:A0:4B:E4:2C"
    static let debug = "D5:C3:8D:8A:F3:EC:57:80:71:DD:AB:8E:DB:72:24:A9:42:D3:56:3F:02:CA:3A:AB:93:55:DF:F5:64:12:2A:18"

    static func path(_ name: String) -> String {
        TestVectors.folder.appending(path: "wellknown/certificates").appending(path: name).path
    }

    static func data(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: path(name))) }

    static func read(_ name: String, password: String? = nil) throws -> CertificateReading {
        try CertificateFile.read(try data(name)) { () throws(CertificateError) in password }
    }
}
