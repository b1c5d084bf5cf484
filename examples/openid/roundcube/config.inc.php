<?php
// Roundcube 1.6, in front of Dovecot (examples/openid/dovecot): this part of its config.inc.php signs users in with Main App.
//
//   apt install roundcube-core roundcube-sqlite3 dovecot-imapd
//
// Register: redirect_uris [ORIGIN/index.php/login/oauth], with offline_access in scopes
$issuer = getenv('ISSUER');
$config['oauth_provider'] = 'generic';
$config['oauth_provider_name'] = 'Main App';
$config['oauth_client_id'] = getenv('CLIENT_ID');
$config['oauth_client_secret'] = getenv('CLIENT_SECRET');
$config['oauth_auth_uri'] = "$issuer/oidc/authorize";
$config['oauth_token_uri'] = "$issuer/oidc/token";
$config['oauth_identity_uri'] = "$issuer/oidc/userinfo";
// With a refresh token, a session outlasts the ten minutes of an access token.
$config['oauth_scope'] = 'openid profile email offline_access';
$config['oauth_identity_fields'] = ['email'];
// Behind a proxy that does TLS: cookies and the redirect URI are those of https.
$config['use_https'] = str_starts_with((string) getenv('ORIGIN'), 'https:');
