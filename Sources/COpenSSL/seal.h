// AES-256-GCM (NIST SP 800-38D) with one call for each direction. OpenSSL's own interface takes six, and omitting one fails open.
// Each returns 1 on success and 0 on failure. The nonce has 12 bytes, the tag 16.
#pragma once

#include <openssl/evp.h>
#include <limits.h>
#include <stddef.h>

static inline int sso_seal(
    const unsigned char *key, const unsigned char *nonce, const unsigned char *plain, size_t count,
    unsigned char *sealed, unsigned char *tag) {
    int written = 0, rest = 0, done = 0;
    EVP_CIPHER_CTX *context = count <= INT_MAX ? EVP_CIPHER_CTX_new() : NULL;
    if (context == NULL) return 0;
    done = EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) == 1
        && EVP_EncryptUpdate(context, sealed, &written, plain, (int)count) == 1 && written == (int)count
        && EVP_EncryptFinal_ex(context, sealed + written, &rest) == 1 && rest == 0
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, 16, tag) == 1;
    EVP_CIPHER_CTX_free(context);
    return done;
}

static inline int sso_unseal(
    const unsigned char *key, const unsigned char *nonce, const unsigned char *sealed, size_t count,
    const unsigned char *tag, unsigned char *plain) {
    int written = 0, rest = 0, done = 0;
    EVP_CIPHER_CTX *context = count <= INT_MAX ? EVP_CIPHER_CTX_new() : NULL;
    if (context == NULL) return 0;
    done = EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) == 1
        && EVP_DecryptUpdate(context, plain, &written, sealed, (int)count) == 1 && written == (int)count
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, 16, (void *)tag) == 1
        && EVP_DecryptFinal_ex(context, plain + written, &rest) == 1 && rest == 0;
    EVP_CIPHER_CTX_free(context);
    return done;
}
