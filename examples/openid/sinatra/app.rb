# A service in Ruby. omniauth_openid_connect, which GitLab and Mastodon use, signs its users in.
#
#   apt install ruby-sinatra ruby-omniauth-openid-connect ruby-webrick
#
# Register: redirect_uris [ORIGIN/auth/idp/callback], post_logout_redirect_uris [ORIGIN/]

require "omniauth_openid_connect"
require "sinatra/base"

ISSUER, ORIGIN = ENV.fetch("ISSUER"), ENV.fetch("ORIGIN")
# The library looks for the provider at https only. This line is for a trial on one machine.
SWD.url_builder = URI::HTTP if ISSUER.start_with?("http:")

class Service < Sinatra::Base
  # Behind a proxy that does TLS, rack takes https from X-Forwarded-Proto.
  set :sessions, same_site: :lax, httponly: true, secure: ORIGIN.start_with?("https:")
  set :session_secret, ENV.fetch("SESSION_KEY")
  set :server, :webrick
  set :bind, ENV.fetch("HOST")
  set :port, ENV.fetch("PORT")

  use OmniAuth::Builder do
    provider :openid_connect,
      name: :idp,
      issuer: ISSUER,
      discovery: true,
      scope: %i[openid profile email groups],
      pkce: true,
      client_options: {
        identifier: ENV.fetch("CLIENT_ID"),
        secret: ENV.fetch("CLIENT_SECRET"),
        redirect_uri: "#{ORIGIN}/auth/idp/callback",
      }
  end

  get "/" do
    erb <<~PAGE
      <!doctype html><title>Sinatra</title>
      <% if (user = session[:user]) %>
      <p>Hello <span id="email"><%= Rack::Utils.escape_html(user["email"]) %></span>,
      you are <%= Rack::Utils.escape_html(user["sub"]) %>.</p>
      <form method="post" action="/sign-out"><button id="sign-out">Sign out</button></form>
      <% else %>
      <form method="post" action="/auth/idp">
      <input type="hidden" name="authenticity_token" value="<%= Rack::Protection::AuthenticityToken.token(session) %>">
      <button id="sign-in">Sign in with Main App</button></form>
      <% end %>
    PAGE
  end

  get "/auth/idp/callback" do
    answer = request.env["omniauth.auth"]
    # `sub` names the user: it never changes, an address may.
    session[:user] = { "sub" => answer.uid, "email" => answer.info.email, "id_token" => answer.credentials.id_token }
    redirect "/"
  end

  get "/auth/failure" do
    status 403
    "The sign-in did not work: #{Rack::Utils.escape_html(params["message"].to_s)}"
  end

  # The library's own /auth/idp/logout sends no `id_token_hint`: then the identity provider asks the user first.
  post "/sign-out" do
    user = session.delete(:user) or redirect "/"
    fields = { id_token_hint: user["id_token"], post_logout_redirect_uri: "#{ORIGIN}/" }
    redirect "#{ISSUER}/oidc/logout?#{URI.encode_www_form(fields)}"
  end

  run!
end
