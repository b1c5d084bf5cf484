import SSOShared

extension GateRecipe {
    /// With every mixture of hyphens and underscores: many servers read both as one.
    private static let forms = identity.flatMap { name in
        let parts = name.split(separator: "-")
        return parts.dropFirst().reduce(parts.prefix(1).map(String.init)) { forms, part in
            forms.flatMap { ["\($0)-\(part)", "\($0)_\(part)"] }
        }
    }

    /// For Caddy 2.6 and later. Every answer of the gate has all fields, so that no placeholder stays as it is. Of the cookies the
    /// check gets that of the gate alone: those of the service may be many. Of `Connection` only `upgrade` stays: Caddy removes
    /// the fields that it names from what the service gets.
    var caddy: String {
        let site = isHTTPS ? host : "http://\(host)"
        let clear = Self.forms.map { "        request_header -\($0)" }.joined(separator: "\n")
        let gone = removed.map { "            request_header -\($0)\n" }.joined()
        return """
            # \(id) behind the gate, for Caddy 2.6 and later.
            \(site) {
                route {
            \(clear)
                    request_header Connection "(?i)^(?:.*\\b(upgrade)\\b)?.*$" "$1"
                    handle_path /.sso/* {
                        @other not path \(GatePath.steps.map { "\(GatePath.prefix)\(id)/\($0)" }.joined(separator: " "))
                        rewrite * /gate/\(id){uri}
                        error @other 404
                        reverse_proxy \(program)
                    }
                    handle {
                        forward_auth \(program) {
                            uri /gate/\(id)/check?
                            copy_headers \(Self.identity.joined(separator: " "))
                            header_up Cookie "^(?:(?:.*?;\\s*)?(\(sessionCookie)=[^;]*).*|.*)$" "$1"
                            header_up -Upgrade
                            header_up -Connection
                        }
            \(gone)            reverse_proxy \(upstream)
                    }
                }
            }

            """
    }

    /// For HAProxy 2.6 and later, with gate.lua. One frontend has each port: with two, HAProxy gives each a part of the connections. So
    /// the rules stand in backends, which any number of services add beside each other.
    var haproxy: String {
        let gone = removed.map { "    http-request del-header \($0)\n" }.joined()
        let isOfHost = "if { req.hdr(host) -i \(host) }"
        return """
            # \(id) behind the gate, for HAProxy 2.6 and later. Once, in "global":
            #     lua-load /etc/haproxy/gate.lua
            #     tune.bufsize 65536
            #     tune.maxrewrite 16384
            # In the only frontend of the port, such as "web" of haproxy.example.cfg, for each service:
            #     use_backend \(word)_gate \(isOfHost) { path_beg /.sso/ }
            #     use_backend \(word)_service \(isOfHost)
            # Where the port has no frontend yet, above these two lines:
            #     frontend web
            #         mode http
            #         bind \(listening):\(port)\(isHTTPS ? " ssl crt /etc/haproxy/certs/" : "")
            #         timeout client 1m
            backend \(word)_gate
                mode http
                timeout connect 5s
                timeout server 1m
            \(discarded)
                http-request return status 404 unless { path \(steps.joined(separator: " ")) }
                http-request replace-path ^/\\.sso/(.*)$ /gate/\(id)/\\1
                server gate \(program)

            backend \(word)_service
                mode http
                timeout connect 5s
                timeout server 1m
                timeout tunnel 1h
            \(discarded)
                http-request lua.sso_check http://\(program)/gate/\(id)/check
            \(gone)    server service \(upstreamHost)\(upstream.hasPrefix("https:") ? " ssl verify required ca-file @system-ca" : "")

            """
    }

    /// What HAProxy discards of what a client claims, and sets itself.
    private var discarded: String {
        let clear = Self.identity.map { "del-header ^\($0.lowercased().replacing("-", with: "[^a-z0-9]"))$ -m reg" }
        let rules =
            clear + [
                "set-header X-Forwarded-Proto %[ssl_fc,iif(https,http)]",
                "set-header X-Forwarded-Host %[req.hdr(host)]", "set-header X-Forwarded-For %[src]",
                "del-header X-Original-URL", "del-header X-Original-Method",
            ]
        return rules.map { "    http-request \($0)" }.joined(separator: "\n")
    }

    /// The dynamic configuration of Traefik 3. Its entry points, `web` and `websecure`, are in the static one.
    var traefik: String {
        let entry = isHTTPS ? "websecure" : "web"
        let tls = isHTTPS ? "\n          tls: {}" : ""
        let clear = Self.forms.map { "          \($0): \"\"" }.joined(separator: "\n")
        let fields = Self.identity.map { "          - \($0)" }.joined(separator: "\n")
        let gone = removed.map { "          \($0): \"\"" }.joined(separator: "\n")
        let last =
            removed.isEmpty
            ? "" : "\n    \(id)-hide:\n      headers:\n        customRequestHeaders:\n\(gone)"
        let chain = ["\(id)-clear", "\(id)-gate"] + (removed.isEmpty ? [] : ["\(id)-hide"])
        return """
            # \(id) behind the gate, for Traefik 3: dynamic configuration.
            http:
              routers:
                \(id):
                  rule: Host(`\(address.host)`) && !PathPrefix(`/.sso/`)
                  entryPoints: [\(entry)]\(tls.replacing("          ", with: "      "))
                  middlewares: [\(chain.joined(separator: ", "))]
                  service: \(id)
                \(id)-sso:
                  rule: Host(`\(address.host)`) && (\(steps.map { "Path(`\($0)`)" }.joined(separator: " || ")))
                  entryPoints: [\(entry)]\(tls.replacing("          ", with: "      "))
                  middlewares: [\(id)-clear, \(id)-path]
                  service: \(id)-idp
              middlewares:
                \(id)-clear:
                  headers:
                    customRequestHeaders:
            \(clear)
                \(id)-path:
                  replacePathRegex:
                    regex: ^/\\.sso/(.*)
                    replacement: /gate/\(id)/$1
                \(id)-gate:
                  forwardAuth:
                    address: http://\(program)/gate/\(id)/check
                    authResponseHeaders:
            \(fields)\(last)
              services:
                \(id):
                  loadBalancer:
                    servers: [{url: "\(upstream)"}]
                \(id)-idp:
                  loadBalancer:
                    servers: [{url: "http://\(program)"}]

            """
    }
}
