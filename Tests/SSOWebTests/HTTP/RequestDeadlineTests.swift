import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import SSOWeb
@testable import TestKit

@Suite("The deadline of a request", .rules)
struct RequestDeadlineTests {
    private static let limit = TimeAmount.seconds(3)

    /// A connection on an event loop whose timers fire late.
    private final class BusyConnection {
        var lateness = TimeAmount.zero
        private(set) var channel = EmbeddedChannel()

        init() throws {
            var limits = ServerLimits()
            limits.request = .seconds(3)
            let deadline = RequestDeadline(limits) { [unowned self] loop in loop.now + self.lateness }
            channel = EmbeddedChannel(handler: deadline)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        var isOpen: Bool { channel.isActive }
        func wait(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }
        func receive(_ part: HTTPRequestPart) throws { try channel.writeInbound(part) }

        func receiveHead() throws {
            try receive(.head(HTTPRequest(method: .post, scheme: "http", authority: "a.example", path: "/")))
        }
    }

    @Test("a request that does not end in time loses its connection")
    func cut() throws {
        let connection = try BusyConnection()
        try connection.receiveHead()
        connection.wait(RequestDeadlineTests.limit - .milliseconds(1))
        #expect(connection.isOpen)
        connection.wait(.milliseconds(1))
        #expect(!connection.isOpen)
    }

    @Test(
        "a timer that fires late closes nothing before the event loop has read, and the next request has a deadline again"
    )
    func late() throws {
        let connection = try BusyConnection()
        try connection.receiveHead()
        connection.lateness = .milliseconds(100)
        connection.wait(Self.limit)
        #expect(connection.isOpen)
        // What waited in the socket.
        connection.lateness = .zero
        try connection.receive(.end(nil))
        connection.wait(.seconds(1))
        #expect(connection.isOpen)
        try connection.receiveHead()
        connection.wait(Self.limit - .milliseconds(1))
        #expect(connection.isOpen)
        connection.wait(.milliseconds(1))
        #expect(!connection.isOpen)
    }

    @Test("a client that still sends byte by byte when the event loop has read loses its connection")
    func drip() throws {
        let connection = try BusyConnection()
        try connection.receiveHead()
        connection.lateness = .milliseconds(100)
        connection.wait(Self.limit)
        connection.lateness = .zero
        try connection.receive(.body(ByteBuffer(string: "a")))
        connection.wait(.milliseconds(200))
        #expect(!connection.isOpen)
    }

    @Test("an event loop that is always late still closes the connection")
    func alwaysLate() throws {
        let connection = try BusyConnection()
        try connection.receiveHead()
        connection.lateness = .milliseconds(100)
        connection.wait(Self.limit + .seconds(1))
        #expect(!connection.isOpen)
    }
}
