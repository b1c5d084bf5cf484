package import HTTPTypes
import Hummingbird
import NIOCore
import SSOWeb

/// The context of every request to the IdP.
package struct VisitorContext: SessionRequestContext {
    var coreContext: CoreRequestContextStorage
    let peer: SocketAddress?
    let reference = RequestReference()
    package var unservedMethod: HTTPRequest.Method?
    var session: Session?
    /// Nil only before the router has looked for the route.
    package var audit: RequestAudit?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        peer = source.channel.remoteAddress
        addReferenceToLog()
    }
}
