/// The part of the home page with what users do with their account.
package struct OwnAccountSection: Encodable, Sendable {
    let canChangeAddress, canErase: Bool
}
