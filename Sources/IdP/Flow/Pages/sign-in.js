// Conveniences only: every form works without this file. Counts a wait down, sends the code at its sixth digit, notices the
// answer to the email, keeps a double click from sending a form twice, and names a file that is too large before it is sent.
"use strict";
(function () {
    var seen = new WeakSet();
    start();
    // An app that brings Turbo loads this file once and shows many pages.
    document.addEventListener("turbo:render", start);
    // One box counts for every form of its page: another way to sign in, and the button for a new email.
    document.addEventListener("formdata", function (event) {
        var box = document.querySelector("input[type=checkbox][name=remember]");
        if (!box || box.form === event.target) { return; }
        event.formData.delete("remember");
        if (box.checked) { event.formData.append("remember", "1"); }
    });

    function each(selector, use) {
        document.querySelectorAll(selector).forEach(function (place) {
            if (!seen.has(place)) { use(place); }
            seen.add(place);
        });
    }

    function start() {
        each("form[data-once]", sendOnce);
        each("[data-countdown]", countDown);
        each("[data-events]", awaitReply);
        each("[data-code]", sendWhole);
        each("[data-most]", weigh);
    }

    function weigh(field) {
        field.addEventListener("change", function () {
            var file = field.files[0];
            field.setCustomValidity(file && file.size > Number(field.dataset.most) ? field.dataset.tooLarge : "");
            field.reportValidity();
        });
    }

    function sendOnce(form) {
        var isSent = false;
        function free() { isSent = false; }
        form.addEventListener("submit", function (event) {
            if (isSent) { event.preventDefault(); return; }
            isSent = true;
            // A form that is answered with a file leaves its page as it was.
            setTimeout(free, 10000);
        });
        window.addEventListener("pageshow", free);
    }

    function countDown(place) {
        var end = Date.now() + Number(place.dataset.countdown) * 1000;
        var value = place.querySelector("bdi");
        var button = document.querySelector("[data-wait]");
        if (button) { button.disabled = true; }
        function words(seconds) {
            var minutes = Math.ceil(seconds / 60);
            if (seconds <= 90) { return quantity(seconds, "second"); }
            return minutes <= 90 ? quantity(minutes, "minute") : quantity(Math.ceil(minutes / 60), "hour");
        }
        var timer = setInterval(tick, 1000);
        function tick() {
            var left = Math.ceil((end - Date.now()) / 1000);
            if (left > 0) {
                if (value) { value.textContent = words(left); }
                return;
            }
            clearInterval(timer);
            // The email leaves now, and the page offers what works with it.
            if (place.dataset.then === "reload") { location.reload(); return; }
            if (button) { button.disabled = false; button.removeAttribute("aria-describedby"); }
            place.hidden = true;
        }
    }

    // In the language of the page, not of the browser.
    function quantity(number, unit) {
        return new Intl.NumberFormat(document.documentElement.lang,
            { style: "unit", unit: unit, unitDisplay: "long" }).format(number);
    }

    // The answer to the email signs in. A stream ends after some seconds, and the browser opens the next one by itself. It
    // gives up at an error, such as a restart of the server. Then the page tries again for as long as a code is valid.
    function awaitReply(place) {
        var source, timer, left = 120;
        function open() {
            source = new EventSource(place.dataset.events);
            source.addEventListener("done", function () {
                close();
                // A link must not decide how long the session lasts: with the box ticked the form goes on.
                var box = document.querySelector("input[type=checkbox][name=remember]");
                if (!box || !box.checked || !box.form.requestSubmit) { location.replace(place.dataset.next); return; }
                box.form.action = place.dataset.next;
                box.form.noValidate = true;
                box.form.requestSubmit();
            });
            source.addEventListener("error", function () {
                if (source.readyState !== EventSource.CLOSED || left <= 0) { return; }
                left -= 1;
                timer = setTimeout(open, 5000);
            });
        }
        function close() {
            left = 0;
            clearTimeout(timer);
            source.close();
        }
        open();
        // A form that was sent has a page of its own to go to.
        document.addEventListener("submit", close);
        window.addEventListener("pagehide", close);
        document.addEventListener("turbo:before-render", close);
        // Some browsers keep the page and show it again after Back.
        window.addEventListener("pageshow", function (event) {
            if (!event.persisted) { return; }
            left = 120;
            open();
        });
    }

    // Once per page: a user who corrects a digit afterwards uses the button.
    function sendWhole(field) {
        var isSent = false;
        function check(event) {
            var code = event.isComposing ? null : codeIn(field.value);
            if (code === null) { return; }
            if (field.value !== code) { field.value = code; }
            if (isSent || !field.form.requestSubmit) { return; }
            isSent = true;
            field.form.requestSubmit();
        }
        field.addEventListener("input", check);
        field.addEventListener("compositionend", check);
    }

    // The six digits of a text that is a code, alone or at the end of a pasted line; null for any other text. As Entered.digits
    // of the server: digits of every script, no invisible characters, no quotation marks or end of a sentence around it.
    function codeIn(text) {
        var plain = text.replace(/\p{Default_Ignorable_Code_Point}/gu, "").replace(/\p{Nd}/gu, valueOf)
            .replace(/(\d)[\s\p{Dash}]+(?=\d)/gu, "$1");
        var before = /^(?:.*[\s:\uff1a\p{Ps}\p{Pi}"'\p{Dash}])?(?=\d)/su;
        var match = /^(\d{6})[\s\p{Dash}\p{Pe}\p{Pf}\p{Pi}"'.,;:!?\u3002\u3001\uff0e\uff0c]*$/u.exec(plain.replace(before, ""));
        return match ? match[1] : null;
    }

    // Digits of a script are ten neighbours, 0 to 9, and so are all that stand before it in one block.
    function valueOf(digit) {
        var count = 0;
        while (/\p{Nd}/u.test(String.fromCodePoint(digit.codePointAt(0) - count - 1))) { count += 1; }
        return String(count % 10);
    }
})();
