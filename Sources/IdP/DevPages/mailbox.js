// Shows new emails by itself, and has buttons that copy the code of one. Without this file they stay hidden: a click on the code
// selects all of it.
"use strict";
(function () {
    // Not while something is selected, or the page is not seen.
    setInterval(function () {
        if (document.visibilityState === "visible" && !String(getSelection())) { location.reload(); }
    }, 5000);
    if (!navigator.clipboard) { return; }
    document.querySelectorAll("[data-copy]").forEach(function (button) {
        button.hidden = false;
        button.addEventListener("click", function () {
            navigator.clipboard.writeText(button.dataset.copy).then(function () {
                button.parentNode.querySelector("[role=status]").textContent = button.dataset.done;
            });
        });
    });
})();
