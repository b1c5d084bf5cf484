package import HTTPTypes
package import Hummingbird
import IdPAccounts
import NIOCore
package import SSOShared
import SSOWeb

extension Response {
    /// An answer of the JSON API.
    package static func json(
        _ members: [JSONText.Member], status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        return Response(
            status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: JSONText.object(members))))
    }
}

extension Account {
    /// The account in answers of the JSON API.
    package var members: [JSONText.Member] { [.init("id", id), .init("email", email), .init("name", name)] }
}
