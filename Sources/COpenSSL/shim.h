// libcrypto as Swift sees it. The functions below exist because OpenSSL's one-shot calls take lengths of mixed types and
// have names (SHA256) that a Swift type of this package would hide. Each returns 1 on success and 0 on failure.
#pragma once

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

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

/// One of the two hashes of HMAC after its first block, the key XOR `pad` (RFC 2104). NULL on failure.
static inline EVP_MD_CTX *sso_hmac_state(
    const EVP_MD *algorithm, const unsigned char *key, size_t key_count, unsigned char pad) {
    unsigned char block[64] = {0};
    EVP_MD_CTX *state = EVP_MD_CTX_new();
    int is_done = state != NULL && EVP_DigestInit_ex(state, algorithm, NULL) == 1;
    if (is_done && key_count > sizeof block) is_done = sso_digest(algorithm, key, key_count, block);
    if (is_done && key_count <= sizeof block && key_count > 0) memcpy(block, key, key_count);
    for (size_t i = 0; i < sizeof block; i++) block[i] ^= pad;
    is_done = is_done && EVP_DigestUpdate(state, block, sizeof block) == 1;
    OPENSSL_cleanse(block, sizeof block);
    if (is_done) return state;
    EVP_MD_CTX_free(state);
    return NULL;
}

/// The code of bytes by the key of both states. Changes `scratch` and `code` alone.
static inline int sso_hmac_code(
    const EVP_MD_CTX *inner, const EVP_MD_CTX *outer, EVP_MD_CTX *scratch, const unsigned char *bytes, size_t count,
    unsigned char *code) {
    unsigned char digest[32];
    unsigned int written = 0;
    if (inner == NULL || outer == NULL) return 0;
    int is_done = EVP_MD_CTX_copy_ex(scratch, inner) == 1 && EVP_DigestUpdate(scratch, bytes, count) == 1
        && EVP_DigestFinal_ex(scratch, digest, &written) == 1 && written == sizeof digest
        && EVP_MD_CTX_copy_ex(scratch, outer) == 1 && EVP_DigestUpdate(scratch, digest, sizeof digest) == 1
        && EVP_DigestFinal_ex(scratch, code, &written) == 1 && written == 32;
    OPENSSL_cleanse(digest, sizeof digest);
    return is_done;
}

/// Whether 32 bytes are the code of bytes by the key of both states, in constant time. Changes `scratch` alone.
static inline int sso_hmac_matches(
    const EVP_MD_CTX *inner, const EVP_MD_CTX *outer, EVP_MD_CTX *scratch, const unsigned char *bytes, size_t count,
    const unsigned char *code) {
    unsigned char own[32];
    int is_right = sso_hmac_code(inner, outer, scratch, bytes, count, own) && CRYPTO_memcmp(own, code, sizeof own) == 0;
    OPENSSL_cleanse(own, sizeof own);
    return is_right;
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
