import CCurl
import Foundation

/// The sockets of one conversation, so that nobody waits for the reply to QUIT.
///
/// libcurl waits for it as long as for any reply: while a server is silent, it holds the result of an email that was taken or
/// refused, and the handle. A socket that is not read any more gives libcurl the end of the connection at once. QUIT is sent before.
final class SMTPSockets {
    private var open: Set<curl_socket_t> = []
    /// Whether RCPT was sent.
    private(set) var hasNamedRecipient = false

    /// Ends the wait for replies.
    func stopReading() {
        for socket in open { shutdown(socket, Int32(SHUT_RD)) }
    }

    /// Lets libcurl report its sockets and commands. The object must live as long as the handle.
    func attach(to handle: UnsafeMutableRawPointer) -> [CURLcode] {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let sockets = sso_curl_set_sockets(
            handle,
            { context, socket, _ in
                guard let context else { return CURL_SOCKOPT_ERROR }
                Unmanaged<SMTPSockets>.fromOpaque(context).takeUnretainedValue().open.insert(socket)
                return CURL_SOCKOPT_OK
            },
            { context, socket in
                if let context { Unmanaged<SMTPSockets>.fromOpaque(context).takeUnretainedValue().open.remove(socket) }
                return close(socket)
            }, context)
        // After a refusal libcurl says QUIT by itself. The text of an email is no command.
        let commands = sso_curl_set_debug(
            handle,
            { _, kind, bytes, count, context in
                guard kind == CURLINFO_HEADER_OUT, let bytes, let context else { return 0 }
                let command = UnsafeRawBufferPointer(start: bytes, count: count)
                let sockets = Unmanaged<SMTPSockets>.fromOpaque(context).takeUnretainedValue()
                if command.starts(with: "RCPT ".utf8) { sockets.hasNamedRecipient = true }
                if command.elementsEqual("QUIT\r\n".utf8) { sockets.stopReading() }
                return 0
            }, context)
        return [sockets, commands]
    }
}
