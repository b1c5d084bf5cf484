// Asks the browser for passkeys: at the button, in the autofill of the sign-in page, and where a user adds one. Without this file,
// and in browsers without passkeys, the pages show no button and all else works.
"use strict";
(function () {
    var seen = new WeakSet();
    start();
    // An app that brings Turbo loads this file once and shows many pages.
    document.addEventListener("turbo:render", start);

    function start() {
        signal();
        if (!window.PublicKeyCredential || !navigator.credentials || !navigator.credentials.create) { return; }
        document.querySelectorAll("[data-passkey-options]").forEach(function (button) {
            if (seen.has(button)) { return; }
            seen.add(button);
            (button.form.dataset.renewal ? signIn : add)(button.form, button.dataset.passkeyOptions);
        });
        notePlatform();
    }

    // Whether this device itself can keep a passkey: only then is one offered after the sign-in.
    function notePlatform() {
        var forms = document.querySelectorAll("form[data-platform]");
        if (!forms.length || !PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable) { return; }
        PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable().then(function (isThere) {
            if (!isThere) { return; }
            forms.forEach(function (form) {
                if (form.elements.platform) { return; }
                var field = document.createElement("input");
                field.type = "hidden";
                field.name = "platform";
                field.value = "1";
                form.append(field);
            });
        }, function () {});
    }

    function show(form) {
        document.querySelectorAll("[data-passkey]").forEach(function (place) { place.hidden = false; });
        document.querySelectorAll("[data-no-passkey]").forEach(function (place) { place.hidden = true; });
        form.hidden = false;
    }

    // A user who has not answered the dialog of the browser may have pressed "Cancel": the page stays as it was.
    function tell(form, error) {
        var places = form.querySelectorAll("[data-passkey-error]");
        places.forEach(function (place) { place.hidden = true; });
        if (!error || error.name === "AbortError") { return; }
        var own = Array.prototype.find.call(places, function (place) { return place.dataset.passkeyError === error.name; });
        (own || places[places.length - 1]).hidden = false;
    }

    function send(form, credential) {
        form.elements.passkey.value = JSON.stringify(written(credential));
        form.submit();
    }

    // MARK: Signing in

    function signIn(form, options) {
        var fetched = Date.now(), autofill = null, isOpen = false;
        show(form);
        form.addEventListener("submit", function (event) {
            event.preventDefault();
            if (isOpen) { return; }
            isOpen = true;
            tell(form, null);
            stopAutofill();
            fresh().then(function () {
                return navigator.credentials.get({ publicKey: read(options) });
            }).then(function (credential) { send(form, credential); }, function (error) {
                tell(form, error);
                isOpen = false;
                startAutofill();
            });
        });
        document.addEventListener("visibilitychange", renew);
        window.addEventListener("pageshow", function (event) {
            if (!event.persisted) { return; }
            isOpen = false;
            fetched = 0;
            renew();
        });
        document.addEventListener("turbo:before-render", function () {
            clearInterval(timer);
            stopAutofill();
        });
        var timer = setInterval(renew, 30000);
        // A page that nobody looks at keeps no user signed in: after ten minutes its sign-in is over.
        if (form.hasAttribute("data-again")) { setTimeout(function () { clearInterval(timer); }, 600000); }
        fresh().then(startAutofill, function () {});

        // A challenge lives for ten minutes.
        function isOld() { return !options || Date.now() - fetched > 240000; }

        function fresh() {
            if (!isOld()) { return Promise.resolve(); }
            return fetch(form.dataset.renewal, {
                method: "POST", headers: { "X-CSRF-Token": form.elements.form_token.value }
            }).then(function (response) {
                if (!response.ok) { throw new Error("options"); }
                return response.text();
            }).then(function (text) {
                options = text;
                fetched = Date.now();
            });
        }

        function renew() {
            if (!form.isConnected || document.visibilityState !== "visible" || isOpen || !isOld()) { return; }
            fresh().then(function () { stopAutofill(); startAutofill(); }, function () {});
        }

        function startAutofill() {
            if (!PublicKeyCredential.isConditionalMediationAvailable) { return; }
            PublicKeyCredential.isConditionalMediationAvailable().then(function (isThere) {
                if (!isThere || isOpen || autofill || !form.isConnected) { return; }
                autofill = new AbortController();
                navigator.credentials.get({
                    publicKey: read(options), mediation: "conditional", signal: autofill.signal
                }).then(function (credential) { isOpen = true; send(form, credential); }, function () {});
            });
        }

        function stopAutofill() {
            if (autofill) { autofill.abort(); }
            autofill = null;
        }
    }

    // MARK: Adding

    function add(form, options) {
        var isOpen = false;
        show(form);
        form.addEventListener("submit", function (event) {
            event.preventDefault();
            if (isOpen) { return; }
            isOpen = true;
            tell(form, null);
            navigator.credentials.create({ publicKey: read(options) }).then(function (credential) {
                send(form, credential);
            }, function (error) {
                tell(form, error);
                isOpen = false;
            });
        });
        window.addEventListener("pageshow", function (event) { if (event.persisted) { location.reload(); } });
    }

    // MARK: What a browser may forget (WebAuthn Level 3, 5.1.10)

    function signal() {
        var api = window.PublicKeyCredential;
        if (!api) { return; }
        document.querySelectorAll("[data-passkey-unknown]").forEach(function (place) {
            if (api.signalUnknownCredential && place.dataset.passkeyUnknown) {
                api.signalUnknownCredential(JSON.parse(place.dataset.passkeyUnknown)).catch(function () {});
            }
        });
        document.querySelectorAll("[data-passkey-accepted]").forEach(function (place) {
            if (!api.signalAllAcceptedCredentials || !place.dataset.passkeyAccepted) { return; }
            var all = JSON.parse(place.dataset.passkeyAccepted);
            api.signalAllAcceptedCredentials(
                { rpId: all.rpId, userId: all.userId, allAcceptedCredentialIds: all.allAcceptedCredentialIds }
            ).catch(function () {});
            if (api.signalCurrentUserDetails) {
                api.signalCurrentUserDetails(
                    { rpId: all.rpId, userId: all.userId, name: all.name, displayName: all.displayName }
                ).catch(function () {});
            }
        });
    }

    // MARK: JSON, as PublicKeyCredential.parse…FromJSON and toJSON, which some browsers and password managers lack

    function read(text) {
        var options = JSON.parse(text);
        options.challenge = bytes(options.challenge);
        if (options.user) { options.user.id = bytes(options.user.id); }
        (options.excludeCredentials || []).forEach(function (known) { known.id = bytes(known.id); });
        (options.allowCredentials || []).forEach(function (known) { known.id = bytes(known.id); });
        return options;
    }

    function written(credential) {
        var given = credential.response;
        var response = { clientDataJSON: text(given.clientDataJSON) };
        if (given.attestationObject) {
            response.attestationObject = text(given.attestationObject);
            response.transports = given.getTransports ? given.getTransports() : [];
        } else {
            response.authenticatorData = text(given.authenticatorData);
            response.signature = text(given.signature);
            if (given.userHandle) { response.userHandle = text(given.userHandle); }
        }
        var all = {
            id: credential.id, rawId: text(credential.rawId), type: credential.type, response: response,
            clientExtensionResults: credential.getClientExtensionResults()
        };
        if (credential.authenticatorAttachment) { all.authenticatorAttachment = credential.authenticatorAttachment; }
        return all;
    }

    function bytes(text) {
        var binary = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
        return Uint8Array.from(binary, function (character) { return character.charCodeAt(0); });
    }

    function text(buffer) {
        var binary = Array.from(new Uint8Array(buffer), function (byte) { return String.fromCharCode(byte); }).join("");
        return btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
    }
})();
