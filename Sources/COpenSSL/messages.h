// Signed messages (CMS, PKCS#7): a provisioning profile, the signature block of a JAR. Nothing is verified here.
#pragma once

#include "certificates.h"

/// Receives the content of a message.
typedef void (*sso_content_visitor)(const unsigned char *bytes, size_t count, void *context);

static inline CMS_ContentInfo *sso_message(const unsigned char *bytes, size_t count) {
    const unsigned char *next = bytes;
    if (count > LONG_MAX) return NULL;
    CMS_ContentInfo *message = d2i_CMS_ContentInfo(NULL, &next, (long)count);
    if (message != NULL && OBJ_obj2nid(CMS_get0_type(message)) != NID_pkcs7_signed) {
        CMS_ContentInfo_free(message);
        message = NULL;
    }
    return message;
}

/// The content of a signed message in DER or BER. 1, or 0 when it is not a signed message or has no content.
static inline int sso_message_content(
    const unsigned char *bytes, size_t count, sso_content_visitor visit, void *context) {
    CMS_ContentInfo *message = sso_message(bytes, count);
    ASN1_OCTET_STRING **content = message == NULL ? NULL : CMS_get0_content(message);
    int is_found = content != NULL && *content != NULL && ASN1_STRING_length(*content) >= 0;
    if (is_found) visit(ASN1_STRING_get0_data(*content), (size_t)ASN1_STRING_length(*content), context);
    CMS_ContentInfo_free(message);
    ERR_clear_error();
    return is_found;
}

/// The certificates a signed message carries. 1, or 0 when it is not a signed message.
static inline int sso_message_certificates(
    const unsigned char *bytes, size_t count, sso_certificate_visitor visit, void *context) {
    CMS_ContentInfo *message = sso_message(bytes, count);
    if (message == NULL) {
        ERR_clear_error();
        return 0;
    }
    STACK_OF(X509) *certificates = CMS_get1_certs(message);
    STACK_OF(CMS_SignerInfo) *signers = CMS_get0_SignerInfos(message);
    for (int index = 0; index < sk_X509_num(certificates); index++) {
        X509 *certificate = sk_X509_value(certificates, index);
        int is_signer = 0;
        // Only the first few signers: usually there is one, and certificates times signers must stay small.
        for (int signer = 0; signer < sk_CMS_SignerInfo_num(signers) && signer < 8; signer++) {
            is_signer |= CMS_SignerInfo_cert_cmp(sk_CMS_SignerInfo_value(signers, signer), certificate) == 0;
        }
        sso_visit(certificate, NULL, is_signer, visit, context);
    }
    sk_X509_pop_free(certificates, X509_free);
    CMS_ContentInfo_free(message);
    ERR_clear_error();
    return 1;
}
