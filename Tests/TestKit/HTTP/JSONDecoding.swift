import Foundation

/// Decodes an answer's complete JSON.
enum JSONDecoding {
    static func value(_ bytes: [UInt8]) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
    }
}
