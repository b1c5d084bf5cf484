// ES256 (RFC 7518, section 3.4): ECDSA over P-256 with SHA-256, the signature as two numbers of 32 bytes.
#pragma once

#include "certificates.h"

/// Refuses a key with a passphrase instead of asking for it on a terminal that may not exist.
static inline int sso_no_passphrase(char *buffer, int size, int is_writing, void *context) {
    (void)buffer, (void)size, (void)is_writing, (void)context;
    return -1;
}

/// A private key in PEM; NULL unless it is one of P-256. Free it with EVP_PKEY_free.
static inline EVP_PKEY *sso_es256_key(const unsigned char *pem, size_t count) {
    if (count > INT_MAX) return NULL;
    BIO *text = BIO_new_mem_buf(pem, (int)count);
    EVP_PKEY *key = text == NULL ? NULL : PEM_read_bio_PrivateKey(text, NULL, sso_no_passphrase, NULL);
    BIO_free(text);
    char curve[64] = "";
    if (key != NULL
        && (EVP_PKEY_get_group_name(key, curve, sizeof curve, NULL) != 1 || strcmp(curve, "prime256v1") != 0)) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    ERR_clear_error();
    return key;
}

/// Writes 64 bytes. Returns 1 on success.
static inline int sso_es256_sign(
    EVP_PKEY *key, const unsigned char *bytes, size_t count, unsigned char *signature) {
    unsigned char der[128];
    size_t size = sizeof der;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int is_signed = context != NULL && EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1
        && EVP_DigestSign(context, der, &size, bytes, count) == 1;
    EVP_MD_CTX_free(context);
    const unsigned char *next = der;
    ECDSA_SIG *pair = is_signed ? d2i_ECDSA_SIG(NULL, &next, (long)size) : NULL;
    is_signed = pair != NULL && BN_bn2binpad(ECDSA_SIG_get0_r(pair), signature, 32) == 32
        && BN_bn2binpad(ECDSA_SIG_get0_s(pair), signature + 32, 32) == 32;
    ECDSA_SIG_free(pair);
    ERR_clear_error();
    return is_signed;
}
