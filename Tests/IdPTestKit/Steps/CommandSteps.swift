import Foundation
import Testing

@testable import TestKit

extension ProcessDeployment {
    /// Runs a command of `idp` on the deployment's database, with no other setting.
    ///
    /// - Returns: the program, which has ended with `code`.
    @discardableResult
    func idp(
        _ arguments: [String], settings: [String: String] = [:], endsWith code: Int32 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ProgramProcess {
        let environment = ["IDP_DATABASE_URL": "sqlite:\(databasePath)"].merging(settings) { $1 }
        let program = ProgramProcess("idp", arguments, environment: environment, folder: try TemporaryFolder())
        let exit = try await program.run()
        #expect(exit == .code(code), "\(arguments) \(program.output)", sourceLocation: sourceLocation)
        return program
    }

    /// Hands a message to `idp mail deliver` as a mail server's pipe does, with the settings that it needs.
    ///
    /// - Parameter settings: changes; an empty value removes a setting.
    /// - Returns: the program, which has ended with `code`.
    @discardableResult
    func deliverMail(
        _ message: [UInt8], recipient: String? = nil, settings: [String: String] = [:], endsWith code: Int32 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ProgramProcess {
        let folder = try TemporaryFolder()
        let input = folder.path(of: "message")
        try Data(message).write(to: URL(fileURLWithPath: input))
        var environment = [
            "IDP_DATABASE_URL": "sqlite:\(databasePath)", "IDP_SECRET_KEY": idp.settings["IDP_SECRET_KEY"] ?? "",
        ]
        environment["IDP_INBOUND_MAIL_DOMAIN"] = ReplySettings.domain
        environment["IDP_INBOUND_AUTHSERV_ID"] = ReplySettings.authservID
        let program = ProgramProcess(
            "idp", ["mail", "deliver"] + (recipient.map { ["--recipient", $0] } ?? []),
            environment: environment.merging(settings) { $1 }, folder: folder, input: input)
        let exit = try await program.run()
        #expect(exit == .code(code), "\(settings) \(program.output)", sourceLocation: sourceLocation)
        return program
    }
}
