import Testing

@testable import TestSupport

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
}
