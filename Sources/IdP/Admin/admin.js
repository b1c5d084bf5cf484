// Adds a button to lines that are shown once, where the browser lets a page write to the clipboard.
for (const block of document.querySelectorAll(".copy")) {
    const code = block.querySelector("code");
    if (!code || !navigator.clipboard) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet small";
    button.textContent = block.dataset.copy;
    button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = block.dataset.copied;
    });
    block.append(button);
}
