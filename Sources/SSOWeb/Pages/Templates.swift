import Mustache
public import ServiceLifecycle
import Synchronization

/// The templates of one language. Parsing all of them would be the longest part of a start, so each is parsed when a page needs it
/// first, in a millisecond or less, and the others beside the first requests (``TemplateReading``).
final class Templates: Sendable {
    private struct State {
        var parsed: MustacheLibrary
        var unread: [String: [UInt8]]
    }

    private let state: Mutex<State>
    private let parse: @Sendable ([UInt8]) throws -> MustacheTemplate

    /// - Parameters:
    ///   - parsed: what the others include.
    ///   - unread: the others, by name.
    init(
        parsed: MustacheLibrary, unread: [String: [UInt8]],
        parse: @escaping @Sendable ([UInt8]) throws -> MustacheTemplate
    ) {
        state = Mutex(State(parsed: parsed, unread: unread))
        self.parse = parse
    }

    /// Empty for a template that is unknown or cannot be parsed.
    func render(_ name: String, _ model: Framed) -> String {
        try? read(name)
        return state.withLock(\.parsed).render(model, withTemplate: name) ?? ""
    }

    /// The names of the templates that were not needed so far.
    var unread: [String] { state.withLock { $0.unread.keys.sorted() } }

    /// Parses a template that was not needed so far. Two threads may do so at once: both get the same.
    func read(_ name: String) throws(TemplateError) {
        guard let source = state.withLock({ $0.unread[name] }) else { return }
        let template: MustacheTemplate
        do { template = try parse(source) } catch { throw TemplateError(name: name, cause: "\(error)") }
        state.withLock {
            $0.parsed.register(template, named: name)
            $0.unread[name] = nil
        }
    }
}

/// Parses the templates that no page has needed yet, beside the first requests. One that cannot be parsed ends the program.
public struct TemplateReading: Service {
    private let pages: Pages

    public init(_ pages: Pages) { self.pages = pages }

    public func run() async throws {
        try await pages.readTemplates()
        // A service that returns ends the program.
        try? await gracefulShutdown()
    }
}

/// A template cannot be parsed.
struct TemplateError: Error, CustomStringConvertible {
    let name, cause: String
    var description: String { "The template \(name) cannot be parsed: \(cause)" }
}
