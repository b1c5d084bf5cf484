#include <errno.h>
#include <unistd.h>

// SHA-256 of the first `count` bytes of an open file. Leaves the file's position alone. 1 on success, 0 when libcrypto or
// a read fails or the file is shorter.
static inline int sso_sha256_file(int descriptor, unsigned long long count, unsigned char *digest) {
    unsigned char buffer[65536];
    unsigned long long done = 0;
    unsigned int written = 0;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int result = context != NULL && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1;
    while (result == 1 && done < count) {
        size_t want = count - done < sizeof buffer ? (size_t)(count - done) : sizeof buffer;
        ssize_t got = pread(descriptor, buffer, want, (off_t)done);
        if (got < 0 && errno == EINTR) continue;
        result = got > 0 && EVP_DigestUpdate(context, buffer, (size_t)got) == 1;
        if (got > 0) done += (unsigned long long)got;
    }
    result = result == 1 && EVP_DigestFinal_ex(context, digest, &written) == 1 && written == 32;
    EVP_MD_CTX_free(context);
    return result;
}
