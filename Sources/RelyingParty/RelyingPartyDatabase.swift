import StorageEngines

extension ProgramDatabase {
    /// That of the relying party. A state that is unused again after a promotion is of no use without a token, and the identity
    /// provider voids those.
    static let relyingParty = ProgramDatabase("relying-party", migrations: RelyingPartyMigrations.all)
}
