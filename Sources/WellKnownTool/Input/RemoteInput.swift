import WellKnown

/// Inputs that may lie elsewhere.
enum RemoteInput {
    /// The input that a word of the command line names.
    ///
    /// - Throws: ``InputFault``.
    static func inputs(_ name: String, kind: AssociationKind?) async throws(InputFault) -> [AssociationInput] {
        [try AssociationInput.read(name, kind: kind)]
    }
}
