// libcrypto as Swift sees it. The functions below exist because OpenSSL's one-shot calls take lengths of mixed types and
// have names (SHA256) that a Swift type of this package would hide. Each returns 1 on success and 0 on failure.
#pragma once

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <limits.h>
#include <stddef.h>

static inline int sso_sha256(const unsigned char *bytes, size_t count, unsigned char *digest) {
    return SHA256(bytes, count, digest) != NULL;
}

/// The digest of bytes. SHA256() and SHA512() look their algorithm up at each call, which takes locks and memory.
static inline int sso_digest(
    const EVP_MD *algorithm, const unsigned char *bytes, size_t count, unsigned char *digest) {
    return EVP_Digest(bytes, count, digest, NULL, algorithm, NULL) == 1;
}

static inline int sso_hmac_sha256(
    const unsigned char *key, size_t key_count, const unsigned char *bytes, size_t count, unsigned char *code) {
    unsigned int written = 0;
    if (key_count > INT_MAX) return 0;
    return HMAC(EVP_sha256(), key, (int)key_count, bytes, count, code, &written) != NULL && written == 32;
}

static inline int sso_random(unsigned char *bytes, size_t count) {
    return count <= INT_MAX && RAND_bytes(bytes, (int)count) == 1;
}

/// Keeps what OpenSSL holds until the process is gone (OPENSSL_init_crypto(3), OPENSSL_INIT_NO_ATEXIT): other threads may still
/// use it while `exit` runs. Of use before anything else of OpenSSL was called.
static inline void sso_openssl_keep_at_exit(void) { OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL); }

#include "files.h"
#include "seal.h"
#include "certificates.h"
