// Keys and signatures of JSON Web Tokens (RFC 7515, 7517, 7518, 8037) and passkeys. libcrypto builds keys from lists of
// parameters, and writes ECDSA signatures in DER where a JWS has two numbers of fixed length. Every function takes bytes with
// their count, keeps nothing, and leaves OpenSSL's error queue empty.
#pragma once

#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include "certificates.h"

/// The algorithms of JWS (RFC 7518 3.1, RFC 8037 3.1).
typedef enum { sso_rs256, sso_ps256, sso_es256, sso_eddsa } sso_jws_algorithm;

/// Refuses a key with a passphrase instead of asking for it on a terminal that may not exist.
static inline int sso_no_passphrase(char *buffer, int size, int is_writing, void *context) {
    (void)buffer, (void)size, (void)is_writing, (void)context;
    return -1;
}

static inline int sso_key_is(const EVP_PKEY *key, sso_jws_algorithm algorithm) {
    char curve[64] = "";
    switch (algorithm) {
        case sso_rs256:
        case sso_ps256: return EVP_PKEY_is_a(key, "RSA");
        case sso_es256:
            return EVP_PKEY_is_a(key, "EC") && EVP_PKEY_get_group_name(key, curve, sizeof curve, NULL) == 1
                && strcmp(curve, "prime256v1") == 0;
        case sso_eddsa: return EVP_PKEY_is_a(key, "ED25519");
    }
    return 0;
}

/// A private key in PEM; NULL when there is none, or one with a passphrase. Free it with EVP_PKEY_free.
static inline EVP_PKEY *sso_private_key(const unsigned char *pem, size_t count) {
    if (count > INT_MAX) return NULL;
    BIO *text = BIO_new_mem_buf(pem, (int)count);
    EVP_PKEY *key = text == NULL ? NULL : PEM_read_bio_PrivateKey(text, NULL, sso_no_passphrase, NULL);
    BIO_free(text);
    ERR_clear_error();
    return key;
}

/// Writes a private key in PEM (PKCS #8), unencrypted. Returns how many bytes, or 0 when it needs more than `capacity`.
static inline size_t sso_private_key_pem(const EVP_PKEY *key, unsigned char *pem, size_t capacity) {
    BIO *text = BIO_new(BIO_s_secmem());
    char *bytes = NULL;
    long count = 0;
    if (text != NULL && PEM_write_bio_PKCS8PrivateKey(text, key, NULL, NULL, 0, NULL, NULL) == 1) {
        count = BIO_get_mem_data(text, &bytes);
        if (count <= 0 || (size_t)count > capacity) count = 0;
        else memcpy(pem, bytes, (size_t)count);
    }
    BIO_free(text);
    ERR_clear_error();
    return (size_t)count;
}

/// A new private key; RSA has 2048 bits.
static inline EVP_PKEY *sso_new_key(sso_jws_algorithm algorithm) {
    EVP_PKEY *key = NULL;
    switch (algorithm) {
        case sso_rs256:
        case sso_ps256: key = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)2048); break;
        case sso_es256: key = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256"); break;
        case sso_eddsa: key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"); break;
    }
    ERR_clear_error();
    return key;
}

static inline EVP_PKEY *sso_key_from(const char *type, OSSL_PARAM_BLD *list) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *parameters = list == NULL ? NULL : OSSL_PARAM_BLD_to_param(list);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    if (parameters == NULL || context == NULL || EVP_PKEY_fromdata_init(context) != 1
        || EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(parameters);
    return key;
}

/// A public RSA key; both numbers big-endian.
static inline EVP_PKEY *sso_rsa_key(
    const unsigned char *modulus, size_t modulus_count, const unsigned char *exponent, size_t exponent_count) {
    if (modulus_count > INT_MAX || exponent_count > INT_MAX) return NULL;
    OSSL_PARAM_BLD *list = OSSL_PARAM_BLD_new();
    BIGNUM *n = BN_bin2bn(modulus, (int)modulus_count, NULL), *e = BN_bin2bn(exponent, (int)exponent_count, NULL);
    EVP_PKEY *key = NULL;
    if (list != NULL && n != NULL && e != NULL && OSSL_PARAM_BLD_push_BN(list, OSSL_PKEY_PARAM_RSA_N, n) == 1
        && OSSL_PARAM_BLD_push_BN(list, OSSL_PKEY_PARAM_RSA_E, e) == 1) {
        key = sso_key_from("RSA", list);
    }
    OSSL_PARAM_BLD_free(list);
    BN_free(n);
    BN_free(e);
    ERR_clear_error();
    return key;
}

/// A public key on P-256 from both coordinates, 32 bytes each; NULL when the point is not on the curve.
static inline EVP_PKEY *sso_p256_key(const unsigned char *x, const unsigned char *y) {
    unsigned char point[65] = {POINT_CONVERSION_UNCOMPRESSED};
    memcpy(point + 1, x, 32);
    memcpy(point + 33, y, 32);
    OSSL_PARAM_BLD *list = OSSL_PARAM_BLD_new();
    EVP_PKEY *key = NULL;
    if (list != NULL && OSSL_PARAM_BLD_push_utf8_string(list, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) == 1
        && OSSL_PARAM_BLD_push_octet_string(list, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point) == 1) {
        key = sso_key_from("EC", list);
    }
    OSSL_PARAM_BLD_free(list);
    EVP_PKEY_CTX *check = key == NULL ? NULL : EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    if (key != NULL && (check == NULL || EVP_PKEY_public_check(check) != 1)) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    EVP_PKEY_CTX_free(check);
    ERR_clear_error();
    return key;
}

/// A public Ed25519 key of 32 bytes.
static inline EVP_PKEY *sso_ed25519_key(const unsigned char *bytes) {
    EVP_PKEY *key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, bytes, 32);
    ERR_clear_error();
    return key;
}

/// Writes a number of a key (OSSL_PKEY_PARAM_RSA_N, …) with `size` bytes, or with as many as it needs when `size` is 0.
/// Returns how many, or 0 when there is no such number or it needs more than `capacity`.
static inline size_t sso_key_number(
    const EVP_PKEY *key, const char *name, size_t size, unsigned char *bytes, size_t capacity) {
    BIGNUM *number = NULL;
    size_t count = 0;
    if (EVP_PKEY_get_bn_param(key, name, &number) == 1) {
        count = size > 0 ? size : (size_t)BN_num_bytes(number);
        if (count > capacity || BN_bn2binpad(number, bytes, (int)count) != (int)count) count = 0;
    }
    BN_free(number);
    ERR_clear_error();
    return count;
}

/// Writes the 32 bytes of a public Ed25519 key. Returns 1 on success.
static inline int sso_ed25519_bytes(const EVP_PKEY *key, unsigned char *bytes) {
    size_t count = 32;
    int is_written = EVP_PKEY_get_raw_public_key(key, bytes, &count) == 1 && count == 32;
    ERR_clear_error();
    return is_written;
}

/// RFC 7518 3.5: PSS with MGF1 of the same hash, and a salt as long as the hash.
static inline int sso_set_padding(EVP_PKEY_CTX *options, sso_jws_algorithm algorithm) {
    if (algorithm == sso_rs256) return EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PADDING) == 1;
    if (algorithm != sso_ps256) return 1;
    return EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1
        && EVP_PKEY_CTX_set_rsa_mgf1_md(options, EVP_sha256()) == 1
        && EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) == 1;
}

static inline const EVP_MD *sso_jws_digest(sso_jws_algorithm algorithm) {
    // Ed25519 has its hash inside (RFC 8032 5.1).
    return algorithm == sso_eddsa ? NULL : EVP_sha256();
}

/// Writes the signature as it is in a JWS. Returns how many bytes, or 0 when the key is of another kind, does not sign, or
/// the signature needs more than `capacity`.
static inline size_t sso_jws_sign(
    EVP_PKEY *key, sso_jws_algorithm algorithm, const unsigned char *bytes, size_t count, unsigned char *signature,
    size_t capacity) {
    unsigned char der[128];
    int is_ecdsa = algorithm == sso_es256;
    size_t size = is_ecdsa ? sizeof der : capacity;
    EVP_PKEY_CTX *options = NULL;
    EVP_MD_CTX *context = sso_key_is(key, algorithm) ? EVP_MD_CTX_new() : NULL;
    int is_signed = context != NULL
        && EVP_DigestSignInit(context, &options, sso_jws_digest(algorithm), NULL, key) == 1
        && sso_set_padding(options, algorithm)
        && EVP_DigestSign(context, is_ecdsa ? der : signature, &size, bytes, count) == 1;
    EVP_MD_CTX_free(context);
    if (is_signed && is_ecdsa) {
        const unsigned char *next = der;
        ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &next, (long)size);
        is_signed = pair != NULL && capacity >= 64 && BN_bn2binpad(ECDSA_SIG_get0_r(pair), signature, 32) == 32
            && BN_bn2binpad(ECDSA_SIG_get0_s(pair), signature + 32, 32) == 32;
        size = 64;
        ECDSA_SIG_free(pair);
    }
    ERR_clear_error();
    return is_signed ? size : 0;
}

/// The DER form of an ECDSA signature that a JWS has as two numbers of 32 bytes. Free it with OPENSSL_free.
static inline int sso_es256_der(const unsigned char *signature, unsigned char **der) {
    ECDSA_SIG *pair = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(signature, 32, NULL), *s = BN_bin2bn(signature + 32, 32, NULL);
    int count = 0;
    if (pair != NULL && r != NULL && s != NULL && ECDSA_SIG_set0(pair, r, s) == 1) {
        count = i2d_ECDSA_SIG(pair, der);
    } else {
        BN_free(r);
        BN_free(s);
    }
    ECDSA_SIG_free(pair);
    return count;
}

/// Returns 1 when the signature is the key's for these bytes. ECDSA has it in DER, which libcrypto takes in its one form only.
static inline int sso_signature_verify(
    EVP_PKEY *key, sso_jws_algorithm algorithm, const unsigned char *bytes, size_t count,
    const unsigned char *signature, size_t signature_count) {
    EVP_PKEY_CTX *options = NULL;
    EVP_MD_CTX *context = sso_key_is(key, algorithm) ? EVP_MD_CTX_new() : NULL;
    int is_valid = context != NULL
        && EVP_DigestVerifyInit(context, &options, sso_jws_digest(algorithm), NULL, key) == 1
        && sso_set_padding(options, algorithm)
        && EVP_DigestVerify(context, signature, signature_count, bytes, count) == 1;
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    return is_valid;
}

/// Returns 1 when the signature, in the form of a JWS, is the key's for these bytes.
static inline int sso_jws_verify(
    EVP_PKEY *key, sso_jws_algorithm algorithm, const unsigned char *bytes, size_t count,
    const unsigned char *signature, size_t signature_count) {
    if (algorithm != sso_es256) {
        return sso_signature_verify(key, algorithm, bytes, count, signature, signature_count);
    }
    unsigned char *der = NULL;
    // RFC 7518 3.4: exactly 64 bytes.
    int size = signature_count == 64 ? sso_es256_der(signature, &der) : 0;
    int is_valid = size > 0 && sso_signature_verify(key, algorithm, bytes, count, der, (size_t)size);
    OPENSSL_free(der);
    return is_valid;
}
