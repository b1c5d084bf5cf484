import Hummingbird
import NIOCore
import SSOWeb

/// What every request carries.
struct VisitorContext: SessionRequestContext {
    var coreContext: CoreRequestContextStorage
    let peer: SocketAddress?
    let reference = RequestReference()
    var session: Session?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        peer = source.channel.remoteAddress
        addReferenceToLog()
    }
}
