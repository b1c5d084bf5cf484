"""A Streamlit app, which signs its users in.

    pip install 'streamlit[auth]'
    streamlit run app.py

Register: redirect_uris [ORIGIN/oauth2callback], and the same address in post_logout_redirect_uris

In .streamlit/secrets.toml, which is not readable for others:

    [auth]
    redirect_uri = "ORIGIN/oauth2callback"
    cookie_secret = "SESSION_KEY"
    client_id = "CLIENT_ID"
    client_secret = "CLIENT_SECRET"
    server_metadata_url = "ISSUER/.well-known/openid-configuration"
    client_kwargs = { scope = "openid profile email" }
"""

import streamlit

if not streamlit.user.is_logged_in:
    streamlit.button("Sign in with Main App", on_click=streamlit.login)
else:
    # `sub` names the user: it never changes, an address may.
    streamlit.write(f"Hello {streamlit.user.email}, you are {streamlit.user.sub}.")
    streamlit.button("Sign out", on_click=streamlit.logout)
