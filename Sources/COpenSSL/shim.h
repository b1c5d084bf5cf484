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

/// One of the two passes of HMAC: the digest of 64 bytes of padded key and a message.
static inline int sso_hmac_pass(
    EVP_MD_CTX *context, const EVP_MD *sha256, const unsigned char *padded_key, const unsigned char *bytes,
    size_t count, unsigned char *digest) {
    return EVP_DigestInit_ex(context, sha256, NULL) == 1 && EVP_DigestUpdate(context, padded_key, 64) == 1
        && EVP_DigestUpdate(context, bytes, count) == 1 && EVP_DigestFinal_ex(context, digest, NULL) == 1;
}

/// HMAC-SHA256 (RFC 2104 section 2). libcrypto's HMAC() looks up two algorithms and makes four contexts at each call.
static inline int sso_hmac_sha256(
    const EVP_MD *sha256, const unsigned char *key, size_t key_count, const unsigned char *bytes, size_t count,
    unsigned char *code) {
    unsigned char padded_key[64] = {0}, inner[32];
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int done = context != NULL;
    if (key_count > sizeof padded_key) done = done && sso_digest(sha256, key, key_count, padded_key);
    else if (key_count > 0) memcpy(padded_key, key, key_count);
    for (size_t index = 0; index < sizeof padded_key; index++) padded_key[index] ^= 0x36;
    done = done && sso_hmac_pass(context, sha256, padded_key, bytes, count, inner);
    for (size_t index = 0; index < sizeof padded_key; index++) padded_key[index] ^= 0x36 ^ 0x5c;
    done = done && sso_hmac_pass(context, sha256, padded_key, inner, sizeof inner, code);
    OPENSSL_cleanse(padded_key, sizeof padded_key);
    OPENSSL_cleanse(inner, sizeof inner);
    EVP_MD_CTX_free(context);
    return done;
}

static inline int sso_random(unsigned char *bytes, size_t count) {
    return count <= INT_MAX && RAND_bytes(bytes, (int)count) == 1;
}

#include "files.h"
#include "seal.h"
#include "certificates.h"
