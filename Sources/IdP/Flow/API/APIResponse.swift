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
        json(text: JSONText.object(members), status: status, headers: headers)
    }

    /// An answer that is JSON already.
    package static func json(
        text: String, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}

extension Account {
    /// The account in answers of the JSON API.
    package var members: [JSONText.Member] { [.init("id", id), .init("email", email), .init("name", name)] }
}
