package com.example.app

import android.app.Activity
import android.content.Intent
import android.os.Bundle

/** Takes the callback from the browser, brings the app to the front and closes the Custom Tab above it. */
class CallbackActivity : Activity() {
    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        val forward = Intent(this, MainActivity::class.java)
            .setData(intent.data)
            .putExtra(MainActivity.CALLBACK, true)
            .addFlags(Intent.FLAG_ACTIVITY_CLEAR_TOP or Intent.FLAG_ACTIVITY_SINGLE_TOP)
        startActivity(forward)
        finish()
    }
}
