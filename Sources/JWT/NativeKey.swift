import COpenSSL

/// A key in libcrypto's memory. It is only read after it was made, which libcrypto allows in several threads.
final class NativeKey: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes the key over. Nil for none.
    init?(_ pointer: OpaquePointer?) {
        guard let pointer else { return nil }
        self.pointer = pointer
    }

    deinit { EVP_PKEY_free(pointer) }
}

/// Why a key cannot be used. The words name no part of the key.
package struct KeyError: Error, CustomStringConvertible {
    /// In the middle of a sentence: `RSA of 1024 bits`.
    package let description: String

    init(_ description: String) { self.description = description }
}
