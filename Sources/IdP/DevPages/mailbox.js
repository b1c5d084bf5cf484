// Buttons that copy the code of an email. Without this file they stay hidden: a click on the code selects all of it.
"use strict";
(function () {
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
