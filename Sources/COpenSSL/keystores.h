// Key stores (PKCS#12, RFC 7292): reads all their certificates with their aliases. The private keys are not decrypted.
#pragma once

#include "certificates.h"

/// The result of reading a key store.
typedef enum {
    sso_keystore_read,
    sso_keystore_malformed,
    sso_keystore_wrong_password,
    /// The password would have to be hashed more often than ``sso_keystore_rounds``: a file made to exhaust the processor.
    sso_keystore_too_slow,
    /// A cipher that this libcrypto does not have.
    sso_keystore_unsupported,
} sso_keystore_outcome;

/// Three million rounds are a second or two. keytool writes 10 000, OpenSSL 2 048, Firefox up to a million.
static const long sso_keystore_rounds = 3 * 1000 * 1000;

/// Rounds of the password hash that a cipher of PKCS#12 requires; -1 when unknown.
static inline long sso_rounds(const X509_ALGOR *algorithm) {
    const ASN1_OBJECT *name = NULL;
    const void *value = NULL;
    int type = 0;
    long rounds = -1;
    X509_ALGOR_get0(&name, &type, &value, algorithm);
    if (type != V_ASN1_SEQUENCE || value == NULL) return -1;
    const ASN1_STRING *sequence = (const ASN1_STRING *)value;
    const unsigned char *bytes = ASN1_STRING_get0_data(sequence);
    if (OBJ_obj2nid(name) == NID_pbes2) {
        PBE2PARAM *outer = d2i_PBE2PARAM(NULL, &bytes, ASN1_STRING_length(sequence));
        if (outer != NULL && OBJ_obj2nid(outer->keyfunc->algorithm) == NID_id_pbkdf2
            && outer->keyfunc->parameter != NULL && outer->keyfunc->parameter->type == V_ASN1_SEQUENCE) {
            const ASN1_STRING *inner = outer->keyfunc->parameter->value.sequence;
            const unsigned char *next = ASN1_STRING_get0_data(inner);
            PBKDF2PARAM *hash = d2i_PBKDF2PARAM(NULL, &next, ASN1_STRING_length(inner));
            if (hash != NULL) rounds = ASN1_INTEGER_get(hash->iter);
            PBKDF2PARAM_free(hash);
        }
        PBE2PARAM_free(outer);
    } else {
        PBEPARAM *parameter = d2i_PBEPARAM(NULL, &bytes, ASN1_STRING_length(sequence));
        if (parameter != NULL) rounds = ASN1_INTEGER_get(parameter->iter);
        PBEPARAM_free(parameter);
    }
    return rounds;
}

static inline int sso_is_too_slow(long rounds) { return rounds < 0 || rounds > sso_keystore_rounds; }

static inline sso_keystore_outcome sso_keystore_bags(
    const PKCS7 *safe, const char *password, int length, STACK_OF(PKCS12_SAFEBAG) **bags) {
    *bags = NULL;
    if (PKCS7_type_is_data((PKCS7 *)safe)) {
        *bags = PKCS12_unpack_p7data((PKCS7 *)safe);
    } else if (PKCS7_type_is_encrypted((PKCS7 *)safe)) {
        if (safe->d.encrypted == NULL || safe->d.encrypted->enc_data == NULL) return sso_keystore_malformed;
        if (sso_is_too_slow(sso_rounds(safe->d.encrypted->enc_data->algorithm))) return sso_keystore_too_slow;
        *bags = PKCS12_unpack_p7encdata((PKCS7 *)safe, password, length);
        if (*bags == NULL) return sso_keystore_unsupported;
    } else {
        return sso_keystore_read;
    }
    return *bags == NULL ? sso_keystore_malformed : sso_keystore_read;
}

/// Visits the certificates of a key store in DER; `password` ends with a zero.
static inline sso_keystore_outcome sso_keystore_certificates(
    const unsigned char *bytes, size_t count, const char *password, sso_certificate_visitor visit, void *context) {
    const unsigned char *next = bytes;
    PKCS12 *store = count > LONG_MAX ? NULL : d2i_PKCS12(NULL, &next, (long)count);
    sso_keystore_outcome outcome = store == NULL ? sso_keystore_malformed : sso_keystore_read;
    size_t size = strlen(password);
    if (size > INT_MAX) outcome = sso_keystore_wrong_password;
    int length = (int)size;

    // Key stores written before about 2020 use RC2, which lives in the legacy provider. The default one stays.
    OSSL_PROVIDER *legacy = OSSL_PROVIDER_try_load(NULL, "legacy", 1);
    if (outcome == sso_keystore_read && PKCS12_mac_present(store)) {
        const ASN1_INTEGER *rounds = NULL;
        PKCS12_get0_mac(NULL, NULL, NULL, &rounds, store);
        if (rounds != NULL && sso_is_too_slow(ASN1_INTEGER_get(rounds))) outcome = sso_keystore_too_slow;
        else if (PKCS12_verify_mac(store, password, length) != 1) outcome = sso_keystore_wrong_password;
    }
    STACK_OF(PKCS7) *safes = outcome == sso_keystore_read ? PKCS12_unpack_authsafes(store) : NULL;
    if (outcome == sso_keystore_read && safes == NULL) outcome = sso_keystore_malformed;
    for (int index = 0; outcome == sso_keystore_read && index < sk_PKCS7_num(safes) && index < 64; index++) {
        STACK_OF(PKCS12_SAFEBAG) *bags = NULL;
        outcome = sso_keystore_bags(sk_PKCS7_value(safes, index), password, length, &bags);
        for (int bag = 0; bag < sk_PKCS12_SAFEBAG_num(bags); bag++) {
            PKCS12_SAFEBAG *item = sk_PKCS12_SAFEBAG_value(bags, bag);
            if (PKCS12_SAFEBAG_get_nid(item) != NID_certBag) continue;
            if (PKCS12_SAFEBAG_get_bag_nid(item) != NID_x509Certificate) continue;
            X509 *certificate = PKCS12_SAFEBAG_get1_cert(item);
            char *name = PKCS12_get_friendlyname(item);
            sso_visit(certificate, name, PKCS12_SAFEBAG_get0_attr(item, NID_localKeyID) != NULL, visit, context);
            OPENSSL_free(name);
            X509_free(certificate);
        }
        sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
    }
    sk_PKCS7_pop_free(safes, PKCS7_free);
    if (legacy != NULL) OSSL_PROVIDER_unload(legacy);
    PKCS12_free(store);
    ERR_clear_error();
    return outcome;
}
