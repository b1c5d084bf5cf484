package com.example.app

import android.content.Context
import android.security.keystore.KeyGenParameterSpec
import android.security.keystore.KeyProperties
import java.security.KeyStore
import java.util.Base64
import javax.crypto.Cipher
import javax.crypto.KeyGenerator
import javax.crypto.SecretKey
import javax.crypto.spec.GCMParameterSpec

/** One secret of this app. */
interface SecretStore {
    fun read(): String?
    /** Null removes it. */
    fun write(secret: String?)
}

/**
 * Keeps the secret encrypted (AES-GCM) with a key that never leaves the Android Keystore of this device.
 *
 * Source: Android, "Android Keystore system".
 */
class KeystoreStore(context: Context) : SecretStore {
    private val preferences = context.getSharedPreferences("sso", Context.MODE_PRIVATE)

    /** Null also if it cannot be decrypted, for example after the key was lost. */
    override fun read(): String? = preferences.getString(NAME, null)?.let { text ->
        runCatching {
            val bytes = Base64.getDecoder().decode(text)
            val cipher = Cipher.getInstance(CIPHER)
            cipher.init(Cipher.DECRYPT_MODE, key(), GCMParameterSpec(128, bytes, 0, IV_BYTES))
            String(cipher.doFinal(bytes, IV_BYTES, bytes.size - IV_BYTES), Charsets.UTF_8)
        }.getOrNull()
    }

    override fun write(secret: String?) {
        val text = secret?.let {
            val cipher = Cipher.getInstance(CIPHER)
            cipher.init(Cipher.ENCRYPT_MODE, key())
            Base64.getEncoder().encodeToString(cipher.iv + cipher.doFinal(it.toByteArray(Charsets.UTF_8)))
        }
        // commit, not apply: it must be on disk before the browser opens.
        preferences.edit().apply { if (text == null) remove(NAME) else putString(NAME, text) }.commit()
    }

    private fun key(): SecretKey {
        val store = KeyStore.getInstance("AndroidKeyStore").apply { load(null) }
        (store.getKey(NAME, null) as? SecretKey)?.let { return it }
        val generator = KeyGenerator.getInstance(KeyProperties.KEY_ALGORITHM_AES, "AndroidKeyStore")
        generator.init(
            KeyGenParameterSpec.Builder(NAME, KeyProperties.PURPOSE_ENCRYPT or KeyProperties.PURPOSE_DECRYPT)
                .setBlockModes(KeyProperties.BLOCK_MODE_GCM)
                .setEncryptionPaddings(KeyProperties.ENCRYPTION_PADDING_NONE)
                .build())
        return generator.generateKey()
    }

    private companion object {
        const val NAME = "pending-sign-in"
        const val CIPHER = "AES/GCM/NoPadding"
        const val IV_BYTES = 12
    }
}
