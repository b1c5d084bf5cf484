import HTTPTypes
import Hummingbird

/// The one cookie of a program (contract 7): `__Host-` and `Secure` over https, plain on a loopback host.
public struct SessionCookie: Sendable {
    /// With the prefix `__Host-` over https.
    public let name: String
    private let attributes: String

    /// The cookie called `name`, as tight as the origin allows.
    public init(name: String, origin: PublicOrigin) {
        self.name = origin.isHTTPS ? "__Host-\(name)" : name
        attributes = "; Path=/; HttpOnly; SameSite=Lax" + (origin.isHTTPS ? "; Secure" : "")
    }

    /// The id that the request carries. Two cookies of this name count as none: a neighbour on a sibling domain may
    /// have set one of them (cookie tossing), and the server cannot tell which.
    func id(in request: Request) -> SessionID? {
        var found: Substring?
        for field in request.headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let pair = pair.drop { $0 == " " }
                guard let equals = pair.firstIndex(of: "="), pair[..<equals] == name else { continue }
                if found != nil { return nil }
                found = pair[pair.index(after: equals)...]
            }
        }
        return found.flatMap { SessionID(cookieValue: $0) }
    }

    func set(_ id: SessionID) -> String { "\(name)=\(id.cookieValue)\(attributes)" }

    func clear() -> String { "\(name)=\(attributes); Max-Age=0" }
}
