@testable import IdPServer

/// A step of a feature that is added to the program: its name, the browser that makes it, and what it is about, counted back from
/// the newest.
struct AddedStep: Hashable, Sendable {
    let name: String
    var browser = 0
    var back = 0
}

/// A feature that is added to the program, and what the model and the world know of its steps. ``GreetingModel`` and
/// ``TicketModel`` are the examples of CONTRIBUTING.md.
struct AddedSteps: Sendable {
    let features: AddedFeatures
    /// Further keys of the first client.
    var clientKeys = ""
    /// Settings beside those of every history.
    var settings: [String: String] = [:]
    /// What is right.
    let model: @Sendable (inout Model, AddedStep) -> String
    /// How it is carried out.
    let world: @Sendable (World, AddedStep) async throws -> String
}
