// Certificates, key stores, signed messages and keys as Swift sees them: libcrypto's own names for these are macros
// over typed stacks, which Swift cannot import. Every function takes bytes with their count, keeps nothing, and leaves
// OpenSSL's error queue empty.
#pragma once

#include <openssl/asn1t.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/cms.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/x509.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

static inline int sso_sha1(const unsigned char *bytes, size_t count, unsigned char *digest) {
    unsigned int written = 0;
    return EVP_Digest(bytes, count, digest, &written, EVP_sha1(), NULL) == 1 && written == 20;
}

/// The fields of a certificate. The texts end with a zero and are cut when they do not fit.
typedef struct {
    /// How many of the bytes belong to the certificate.
    size_t used;
    /// Seconds since 1970.
    int64_t not_before, not_after;
    /// RFC 2253, UTF-8, control characters escaped.
    char subject[1024], issuer[1024];
    /// "RSA", "EC", or what libcrypto calls it; empty when it does not know the kind.
    char key_kind[32];
    int key_bits;
} sso_certificate;

static inline int sso_seconds(const ASN1_TIME *time, int64_t *seconds) {
    struct tm parts;
    memset(&parts, 0, sizeof parts);
    if (time == NULL || ASN1_TIME_to_tm(time, &parts) != 1) return 0;
    *seconds = (int64_t)timegm(&parts);
    return 1;
}

static inline void sso_name(const X509_NAME *name, char *text, int size) {
    BIO *out = BIO_new(BIO_s_mem());
    text[0] = 0;
    if (out == NULL) return;
    if (X509_NAME_print_ex(out, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB) >= 0) {
        int count = BIO_read(out, text, size - 1);
        text[count > 0 ? count : 0] = 0;
    }
    BIO_free(out);
}

/// Reads one certificate in DER from the start of the bytes. Returns 1, or 0 when there is none.
static inline int sso_certificate_read(const unsigned char *bytes, size_t count, sso_certificate *found) {
    const unsigned char *next = bytes;
    memset(found, 0, sizeof *found);
    if (count > LONG_MAX) return 0;
    X509 *certificate = d2i_X509(NULL, &next, (long)count);
    int is_read = certificate != NULL && sso_seconds(X509_get0_notBefore(certificate), &found->not_before)
        && sso_seconds(X509_get0_notAfter(certificate), &found->not_after);
    if (is_read) {
        found->used = (size_t)(next - bytes);
        sso_name(X509_get_subject_name(certificate), found->subject, sizeof found->subject);
        sso_name(X509_get_issuer_name(certificate), found->issuer, sizeof found->issuer);
        const EVP_PKEY *key = X509_get0_pubkey(certificate);
        const char *kind = key == NULL ? NULL : EVP_PKEY_get0_type_name(key);
        if (kind != NULL) strncpy(found->key_kind, kind, sizeof found->key_kind - 1);
        if (key != NULL) found->key_bits = EVP_PKEY_get_bits(key);
    }
    X509_free(certificate);
    ERR_clear_error();
    return is_read;
}

/// Gets one certificate in DER; `name` is the alias of a key store or NULL; `is_signer` separates the certificate of a key
/// (key store) or of a signer (message) from the others of its chain.
typedef void (*sso_certificate_visitor)(
    const unsigned char *der, size_t count, const char *name, int is_signer, void *context);

static inline void sso_visit(
    X509 *certificate, const char *name, int is_signer, sso_certificate_visitor visit, void *context) {
    unsigned char *der = NULL;
    int count = certificate == NULL ? 0 : i2d_X509(certificate, &der);
    if (count > 0) visit(der, (size_t)count, name, is_signer, context);
    OPENSSL_free(der);
}

#include "messages.h"
#include "keystores.h"
#include "keys.h"
