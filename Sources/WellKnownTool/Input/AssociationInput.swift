public import ArgumentParser
import Foundation
import SSOShared
public import WellKnown

/// A body to look at, and what it was called.
struct AssociationInput: Sendable {
    let name: String
    let body: [UInt8]
    /// What it is meant to be; `nil` when neither the name nor an option says so.
    let kind: AssociationKind?

    /// Reads a file, or standard input for `-`.
    ///
    /// - Throws: ``InputFault``.
    static func read(_ name: String, kind: AssociationKind? = nil) throws(InputFault) -> AssociationInput {
        let data: Data
        do throws(CertificateFault) {
            data = try InputBytes.read(name, limit: JSONReader.Limits().bytes)
        } catch {
            let isAddress = name.lowercased().hasPrefix("https:") || name.lowercased().hasPrefix("http:")
            let hint = isAddress ? "; an address is written https://example.com" : ""
            throw InputFault(description: "\(error)\(hint)")
        }
        return AssociationInput(
            name: name, body: Array(data), kind: kind ?? AssociationKind.guess(fileName: name))
    }
}

/// Why an input cannot be looked at. Ends the program with 2.
struct InputFault: Error, CustomStringConvertible {
    let description: String
}

extension AssociationKind: ExpressibleByArgument {}
