/// How web servers and platforms serve the association files: the section "Recipes" of the pages of `http.*`.
///
/// Each recipe serves both files from a folder `.well-known` with status 200, as application/json, without a redirect,
/// before any fallback, and to every client.
enum ServingRecipes {
    struct Recipe: Sendable {
        let name: String
        /// What else to know, in one or two sentences. Empty if there is nothing.
        let remark: String
        /// The language of the code, for the fence.
        let language: String
        let code: String
    }

    /// The section for a page, or `nil` for codes that are not about serving.
    static func section(for code: String) -> String? {
        guard code.hasPrefix("http.") else { return nil }
        let parts = all.map { recipe in
            "### \(recipe.name)\n" + (recipe.remark.isEmpty ? "" : "\n\(recipe.remark)\n")
                + "\n```\(recipe.language)\n\(recipe.code)\n```"
        }
        return
            "## Recipes\n\nBoth files with status 200, as application/json, without a redirect, for every client. Then check "
            + "with `wellknown fetch DOMAIN`.\n\n" + parts.joined(separator: "\n\n")
    }

    static let all: [Recipe] = [
        Recipe(
            name: "nginx", remark: "Put it into the server block that has the certificate, before other locations.",
            language: "nginx",
            code: """
                location ~ ^/\\.well-known/(apple-app-site-association|assetlinks\\.json)$ {
                    root /var/www/links;
                    types { }
                    default_type application/json;
                    auth_basic off;
                }
                """),
        Recipe(
            name: "Apache",
            remark:
                "A rule in .htaccess that redirects or rewrites everything must exclude the folder, as the last line does.",
            language: "apache",
            code: """
                <LocationMatch "^/\\.well-known/(apple-app-site-association|assetlinks\\.json)$">
                    ForceType application/json
                    Require all granted
                </LocationMatch>
                RewriteRule ^/?\\.well-known/ - [END]
                """),
        Recipe(
            name: "Caddy", remark: "", language: "caddyfile",
            code: """
                handle /.well-known/* {
                    root * /var/www/links
                    header Content-Type application/json
                    file_server
                }
                """),
        Recipe(
            name: "Cloudflare",
            remark:
                "A WAF rule under Security lets the fetchers through. Bot Fight Mode ignores such rules: switch it off for "
                + "the zone, or use Super Bot Fight Mode with this exception. Workers and Pages set the type in _headers.",
            language: "text",
            code: """
                Rule:   starts_with(http.request.uri.path, "/.well-known/")
                Action: Skip all remaining custom rules, rate limits and managed rules

                # _headers
                /.well-known/*
                  Content-Type: application/json
                """),
        Recipe(
            name: "Vercel",
            remark:
                "Put the files into public/.well-known. Deployment Protection must be off for the production domain.",
            language: "json",
            code: """
                {
                  "headers": [
                    {
                      "source": "/.well-known/(apple-app-site-association|assetlinks.json)",
                      "headers": [{ "key": "Content-Type", "value": "application/json" }]
                    }
                  ]
                }
                """),
        Recipe(
            name: "Netlify",
            remark:
                "Put the files into the publish folder. The rewrite comes before the fallback of a single-page app.",
            language: "toml",
            code: """
                [[redirects]]
                  from = "/.well-known/*"
                  to = "/.well-known/:splat"
                  status = 200

                [[headers]]
                  for = "/.well-known/*"
                  [headers.values]
                    Content-Type = "application/json"
                """),
        Recipe(
            name: "GitHub Pages",
            remark:
                "Jekyll leaves out folders that begin with a dot, such as .well-known. An empty file .nojekyll, or the "
                + "line include in _config.yml, keeps it. The type of apple-app-site-association is "
                + "application/octet-stream and cannot be changed. Apple accepts it. A project page is not at the root of "
                + "the host, so the files belong in the repository of the user or organisation page.", language: "sh",
            code: """
                touch .nojekyll
                # or in _config.yml
                # include: [".well-known"]
                """),
        Recipe(
            name: "S3 with CloudFront",
            remark:
                "The key has no slash at its start. A CloudFront function that appends index.html must leave the folder out.",
            language: "sh",
            code: """
                for file in apple-app-site-association assetlinks.json; do
                  aws s3 cp "$file" "s3://BUCKET/.well-known/$file" --content-type application/json
                done
                aws cloudfront create-invalidation --distribution-id ID --paths '/.well-known/*'
                """),
        Recipe(
            name: "Next.js",
            remark:
                "Put the files into public/.well-known. A middleware must leave the folder out, and so must trailingSlash.",
            language: "js",
            code: """
                // next.config.js
                module.exports = {
                  async headers() {
                    return [{
                      source: "/.well-known/:file(apple-app-site-association|assetlinks.json)",
                      headers: [{ key: "Content-Type", value: "application/json" }],
                    }];
                  },
                };
                // middleware.js
                export const config = { matcher: "/((?!\\\\.well-known/|_next/).*)" };
                """),
        Recipe(
            name: "Express", remark: "Register it before sessions, redirects and the fallback of a single-page app.",
            language: "js",
            code: """
                app.use("/.well-known", express.static("links/.well-known", {
                  dotfiles: "allow",
                  redirect: false,
                  setHeaders: (response) => response.type("application/json"),
                }));
                """),
    ]
}
