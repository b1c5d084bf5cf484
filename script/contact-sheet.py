#!/usr/bin/env python3
"""Shows the pages of a folder side by side and takes pictures of them with headless Chromium (script/contact-sheet)."""
import functools
import http.server
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

folder = pathlib.Path(sys.argv[1])
# "readme": the two pictures of README.md, into docs/images. Else widths in pixels.
for_readme = sys.argv[2:] == ["readme"]
widths = [] if for_readme else [int(width) for width in sys.argv[2:]]
only = re.compile(os.environ.get("ONLY", ""))
# Pages on one sheet: Chromium takes no picture higher than 16,384 pixels.
PER_SHEET = 24
BROWSER = os.environ.get("CHROMIUM", "chromium")


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def send_error(self, code, *arguments, **named):
        """A page that goes on by itself stays: there is nothing where it goes."""
        self.send_response(204)
        self.end_headers()


def sheet(names, width, scheme):
    frames = "".join(
        f'<figure><figcaption>{name}</figcaption><iframe src="/pages/{name}.html" scrolling="no"></iframe></figure>'
        for name in names
    )
    return f"""<!doctype html><meta charset="utf-8"><style>
:root {{ color-scheme: {scheme}; }} body {{ margin: 16px; font: 13px sans-serif; }}
main {{ display: flex; flex-wrap: wrap; gap: 16px; align-items: flex-start; }} figure {{ margin: 0; }}
iframe {{ display: block; border: 1px solid #8886; width: {width}px; height: 400px; color-scheme: {scheme}; }}
</style><main>{frames}</main><script>
function fit() {{ for (const frame of document.querySelectorAll("iframe")) {{
    const page = frame.contentDocument && frame.contentDocument.documentElement;
    if (!page) continue;
    frame.style.height = "300px";
    frame.style.height = Math.min(2600, Math.max({600 if width < 700 else 500}, page.scrollHeight)) + "px";
}} }}
window.addEventListener("load", fit);
</script>"""


# What Chromium needs for colours that the user forces: those of a high contrast.
FORCED = ["--force-high-contrast", "--enable-features=ForcedColors"]


def shoot(url, size, picture, scale=1.0, more=()):
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}",
             f"--force-device-scale-factor={scale}", *more,
             f"--window-size={size[0]},{size[1]}", "--virtual-time-budget=4000", f"--screenshot={picture}", url],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def readme(port):
    """Three pages side by side. The tests have names of their own in them."""
    shown = ["sign-in-providers", "code-client", "home-services"]
    for name in shown:
        page = (folder / "pages" / f"{name}-en.html").read_text()
        page = page.replace(f"{name}-en@example.com", "ann@example.com").replace(f">{name}-en<", ">Ann Example<")
        page = page.replace("Partner number 1", "Team wiki").replace("Partner number 2", "Calendar")
        page = page.replace(">H</bdi>", ">AE</bdi>")
        letter = 'aria-hidden="true">P<'
        page = page.replace(letter, letter.replace("P", "T"), 1).replace(letter, letter.replace("P", "C"), 1)
        (folder / "pages" / f"readme-{name}-en.html").write_text(page)
    images = pathlib.Path("docs/images")
    images.mkdir(exist_ok=True)
    for scheme in ["light", "dark"]:
        file = folder / f"readme-{scheme}.html"
        file.write_text(sheet([f"readme-{name}-en" for name in shown], 400, scheme).replace(
            "figcaption", "figcaption hidden", 1).replace("<style>", "<style>figcaption { display: none } "))
        image = images / f"pages-{scheme}.png"
        shoot(f"http://127.0.0.1:{port}/{file.name}", (1284, 760), image, scale=0.75)
        print(image)
    for name in shown:
        (folder / "pages" / f"readme-{name}-en.html").unlink()


def main():
    handler = functools.partial(Files, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    if for_readme:
        readme(server.server_port)
    pages = sorted(path.stem for path in (folder / "pages").glob("*.html") if only.search(path.stem))
    for width in widths:
        columns = max(1, 2600 // (width + 18))
        for language in os.environ.get("PAGE_LANGUAGES", "en de").split():
            names = [name for name in pages if name.endswith("-" + language)]
            for look in os.environ.get("LOOKS", "light dark").split():
                for number, start in enumerate(range(0, len(names), PER_SHEET), 1):
                    part = names[start : start + PER_SHEET]
                    file = folder / f"sheet-{width}-{language}-{look}-{number}.html"
                    file.write_text(sheet(part, width, "dark" if look == "dark" else "light"))
                    rows = -(-len(part) // columns)
                    height = min(16000, rows * (1500 if width < 700 else 1200) + 100)
                    picture = file.with_suffix(".png")
                    shoot(
                        f"http://127.0.0.1:{server.server_port}/{file.name}", (columns * (width + 18) + 48, height), picture,
                        more=FORCED if look == "forced" else ())
                    print(picture)
    server.shutdown()


main()
