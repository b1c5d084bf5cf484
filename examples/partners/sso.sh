#!/bin/sh
# sh sso.sh TOKEN REDIRECT_URI [CODE_VERIFIER]   needs curl, jq and openssl; IDP, CLIENT and SECRET from the environment
# sh sso.sh session ID USER
# sh sso.sh ping REDIRECT_URI                    tries client id, secret and clock, and changes nothing
SECRET=$(printf %s "${SECRET:-correct-horse-battery-staple-0123456789}" | tr -d '[:space:]')
CLIENT=${CLIENT:-partner}

body() { # TOKEN REDIRECT_URI [CODE_VERIFIER]
  jq -cnj '{token: $ARGS.positional[0], redirect_uri: $ARGS.positional[1]}
    + if $ARGS.positional[2] then {code_verifier: $ARGS.positional[2]} else {} end' --args "$@"
}

sign() { # reads the body
  printf 'sha256='
  openssl dgst -sha256 -hmac "$SECRET" | sed 's/.* //'
}

refuse() {
  printf 'verify: %s\n' "$*" >&2
  return 1
}

is_signed() { # FILE SIGNATURES LABEL: the body, all values of X-SSO-Signature, one per line
  expected=$({ printf %s "$3"; cat "$1"; } | sign)
  [ "$(printf %s "$2" | tr A-F a-f)" = "$expected" ]
}

signed() { # FILE SIGNATURES REQUEST_SIGNATURE
  question=$(printf %s "${3#sha256=}" | tr A-F a-f)
  is_signed "$1" "$2" "response.$question." || { refuse 'response not signed by the IdP'; return; }
  jq -es --arg client "$CLIENT" 'length == 1 and (.[0] | .client_id == $client)' "$1" >/dev/null 2>&1 ||
    { refuse 'response for another client'; return; }
}

check() { # FILE SIGNATURES REQUEST_SIGNATURE
  signed "$1" "$2" "$3" || return
  jq -e '([.user.id, .session.id] | all(type == "string" and length > 0))
    and ((.session | has("authenticated_at") | not)
      or (.session.authenticated_at | type == "number" and . == floor))' \
    "$1" >/dev/null 2>&1 || { refuse 'response not as documented'; return; }
  cat "$1"
}

check_session() { # FILE SIGNATURES REQUEST_SIGNATURE USER
  signed "$1" "$2" "$3" || return
  case $(jq -r '.active | tojson' "$1" 2>/dev/null) in
    true) check "$1" "$2" "$3" >/dev/null && jq -e --arg user "$4" '.user.id == $user' "$1" >/dev/null ;;
    false) jq -e '.reason | type == "string" and length > 0' "$1" >/dev/null 2>&1 ;;
    *) false ;;
  esac || { refuse 'response not as documented, or about another user'; return; }
  cat "$1"
}

event() { # FILE HEADERS: the body and the headers of a request, each a file. NOW, in seconds, replaces the clock
  signatures=$(tr -d '\r' <"$2" | sed -n 's/^[Xx]-[Ss][Ss][Oo]-[Ss][Ii][Gg][Nn][Aa][Tt][Uu][Rr][Ee]:[[:blank:]]*//p')
  is_signed "$1" "$signatures" logout. || { refuse 'status 401: message not signed by the IdP'; return; }
  jq -es --arg client "$CLIENT" --argjson now "${NOW:-$(date +%s)}" 'length == 1 and (.[0]
    | .event == "logout" and .client_id == $client and ([.id, .user] | all(type == "string" and length > 0))
    and ((has("session") | not) or (.session | type == "string" and length > 0))
    and (.issued_at | type == "number" and . == floor and . - $now <= 300 and $now - . <= 300))' \
    "$1" >/dev/null 2>&1 || { refuse 'status 400: message not as documented, for another client, or too old'; return; }
  cat "$1"
}

verify() ( # TOKEN REDIRECT_URI [CODE_VERIFIER]
  folder=$(mktemp -d) && trap 'rm -r "$folder"' EXIT && cd "$folder" || exit
  body "$@" >json
  call /auth/sso/verify '' 5 && check raw "$signatures" "$signature"
)

session() ( # ID USER
  folder=$(mktemp -d) && trap 'rm -r "$folder"' EXIT && cd "$folder" || exit
  jq -cnj '{session: $ARGS.positional[0], user: $ARGS.positional[1]}' --args "$1" "$2" >json
  call /auth/sso/session session. 2 && check_session raw "$signatures" "$signature" "$2"
)

ping() ( # REDIRECT_URI
  folder=$(mktemp -d) && trap 'rm -r "$folder"' EXIT && cd "$folder" || exit
  jq -cnj --argjson time "$(date +%s)" '{redirect_uri: $ARGS.positional[0], time: $time}' --args "$1" >json
  call /auth/sso/ping ping. 5 && signed raw "$signatures" "$signature" && cat raw
)

call() { # PATH LABEL SECONDS: sends the file json, writes the file raw, sets signature and signatures
  signature=$({ printf %s "$2"; cat json; } | sign)
  result=$(curl -sS -q --noproxy '*' --max-time "$3" --data-binary @json -H 'Content-Type: application/json' \
    -H "X-SSO-Client: $CLIENT" -H "X-SSO-Signature: $signature" -D headers -o raw \
    -w '%{http_code} %{content_type}' "${IDP:-https://idp.example.com}$1") || return
  if [ "${result%% *}" != 200 ]; then
    # What can be logged of an unsigned response: printable ASCII.
    reason=$(jq -rs '.[0] | [.error, .error_description]
      | map(strings | select(test("\\A[ -~]{1,300}\\z"))) | join(": ")' raw 2>/dev/null)
    refuse "status ${result%% *}${reason:+: $reason}" || return
  fi
  [ "$(printf %s "${result#* }" | sed 's/[[:blank:]]*;.*//' | tr '[:upper:]' '[:lower:]')" = application/json ] ||
    refuse 'response is not JSON' || return
  [ "$(wc -c <raw)" -le 65536 ] || refuse 'response too large' || return
  # Each status line begins a new head (103, then 200). What follows its empty line are trailers.
  signatures=$(tr -d '\r' <headers | awk '/^HTTP\// { found = ""; head = 1 } /^$/ { head = 0 }
    head && tolower($0) ~ /^x-sso-signature:/ { sub(/^[^:]*:[ \t]*/, ""); found = found $0 "\n" }
    END { printf "%s", found }')
}

case ${1-} in
  session | ping) "$@" ;;
  *) if [ $# -ge 2 ]; then verify "$@"; fi ;;
esac
