import SSOShared

@testable import IdPFlow

extension FlowID {
    /// A flow id that has the right shape, another one for each number.
    static func example(_ number: Int) -> FlowID {
        let bytes = Array(repeating: UInt8(0), count: 15) + [UInt8(truncatingIfNeeded: number)]
        return FlowID(Base64URL.encode(bytes))!
    }
}
