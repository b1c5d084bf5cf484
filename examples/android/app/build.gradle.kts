plugins {
    id("com.android.application") version "8.9.1"
    id("org.jetbrains.kotlin.android") version "2.1.20"
}

fun sso(name: String) = providers.gradleProperty("sso.$name").get()

android {
    namespace = "com.example.app"
    compileSdk = 35

    defaultConfig {
        applicationId = sso("applicationId")
        minSdk = 28
        targetSdk = 35
        versionCode = 1
        versionName = "1.0"
        manifestPlaceholders["serverHost"] = sso("serverHost")
        manifestPlaceholders["callbackScheme"] = sso("callbackScheme")
        buildConfigField("String", "SERVER", "\"https://${sso("serverHost")}\"")
        buildConfigField("String", "CALLBACK", "\"${sso("callbackScheme")}:/callback\"")
    }

    buildFeatures { buildConfig = true }

    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_17
        targetCompatibility = JavaVersion.VERSION_17
    }

    kotlinOptions { jvmTarget = "17" }
}

dependencies {
    implementation("dev.hotwire:core:1.2.7")
    implementation("dev.hotwire:navigation-fragments:1.2.7")
    implementation("com.google.android.material:material:1.12.0")
    implementation("androidx.browser:browser:1.8.0")
    implementation("androidx.webkit:webkit:1.13.0")
}
