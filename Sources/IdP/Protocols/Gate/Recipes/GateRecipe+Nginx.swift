import SSOShared

extension GateRecipe {
    private var variables: [(field: String, name: String)] {
        Self.identity.map { ($0, "sso_" + $0.lowercased().replacing("-", with: "_")) }
    }

    /// The subrequest carries the cookie of the gate alone. nginx drops fields with `_` by itself.
    var nginx: String {
        let clear = Self.identity.map { "        proxy_set_header \($0) \"\";" }.joined(separator: "\n")
        let taken = variables.map {
            "        auth_request_set $\($0.name) $upstream_http_\($0.field.lowercased().replacing("-", with: "_"));"
        }.joined(separator: "\n")
        let given = variables.map { "        proxy_set_header \($0.field) $\($0.name);" }.joined(separator: "\n")
        let hidden = Self.identity.map { "        proxy_hide_header \($0);" }.joined(separator: "\n")
        let gone = removed.map { "        proxy_set_header \($0) \"\";\n" }.joined()
        return """
            # \(id) behind the gate, for nginx 1.22 and later, in conf.d.
            map $http_cookie $sso_cookie_\(word) {
                "~(?:^|;\\s*)(\(sessionCookie)=[^;]*)" $1;
            }
            map $http_upgrade $sso_connection_\(word) {
                default upgrade;
                "" "";
            }
            server {
                \(listen)
                server_name \(address.urlHost);
                large_client_header_buffers 8 16k;

                location / {
                    auth_request /.sso-check;
            \(taken)
            \(given)
            \(gone)        proxy_set_header Host $http_host;
                    proxy_set_header X-Forwarded-Proto $scheme;
                    proxy_set_header X-Forwarded-Host $http_host;
                    proxy_set_header X-Forwarded-For $remote_addr;
                    proxy_http_version 1.1;
                    proxy_set_header Upgrade $http_upgrade;
                    proxy_set_header Connection $sso_connection_\(word);
                    error_page 401 403 = @sso;
                    proxy_pass \(upstream);
                }

                location = /.sso-check {
                    internal;
                    proxy_pass http://\(program)/gate/\(id)/check?unauthorized=401;
                    proxy_set_header Cookie $sso_cookie_\(word);
                    include_gate;
                }

                # The answer of the gate itself: the way to sign in, or why not.
                location @sso {
                    rewrite ^ /gate/\(id)/check? break;
                    proxy_pass http://\(program);
                    proxy_set_header Cookie $sso_cookie_\(word);
            \(hidden)
                    include_gate;
                }

                location /.sso/ {
                    return 404;
                }

                location ~ ^/\\.sso/(?:\(GatePath.steps.joined(separator: "|")))$ {
                    rewrite ^/\\.sso/(.*)$ /gate/\(id)/$1 break;
                    proxy_pass http://\(program);
                    proxy_set_header Host $http_host;
                    proxy_set_header X-Forwarded-Proto $scheme;
                    proxy_set_header X-Forwarded-Host $http_host;
                    proxy_set_header X-Forwarded-For $remote_addr;
                    proxy_buffer_size 16k;
                    proxy_buffers 8 16k;
            \(clear)
                }
            }

            """.replacing("        include_gate;", with: asking + "\n" + clear)
    }

    /// What both questions of nginx have. It asks with GET and without a body, whatever the user did.
    private var asking: String {
        """
                proxy_method GET;
                proxy_pass_request_body off;
                proxy_set_header Content-Length "";
                proxy_set_header Host $http_host;
                proxy_set_header X-Original-URL $scheme://$http_host$request_uri;
                proxy_set_header X-Original-Method $request_method;
                proxy_set_header X-Forwarded-Proto "";
                proxy_set_header X-Forwarded-Host "";
                proxy_set_header X-Forwarded-Uri "";
                proxy_set_header X-Forwarded-Method "";
                proxy_set_header X-Forwarded-For $remote_addr;
                proxy_set_header Upgrade "";
                proxy_buffer_size 16k;
                proxy_buffers 8 16k;
        """.split(separator: "\n").map { "        \($0.drop { $0 == " " })" }.joined(separator: "\n")
    }

    private var listen: String {
        let place = listening.isEmpty ? "\(port)" : "\(listening):\(port)"
        return isHTTPS
            ? "listen \(place) ssl;\n    ssl_certificate /etc/letsencrypt/live/\(address.host)/fullchain.pem;\n"
                + "    ssl_certificate_key /etc/letsencrypt/live/\(address.host)/privkey.pem;"
            : "listen \(place);"
    }
}
