import Foundation

/// Reads an answer's JSON whole.
enum JSONDecoding {
    static func value(_ bytes: [UInt8]) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
    }
}
