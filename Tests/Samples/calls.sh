#!/bin/sh
# shellcheck disable=SC2154 # eval sets the fields of a call
# Runs the calls of a file on the shell sample of examples/partners: the file and the results are JSON arrays.
set -u
folder=$(cd "$(dirname "$0")" && pwd)
calls=$1
shift
export CLIENT SECRET IDP

run() {
    case $call in
        body) body "$token" "$redirect_uri" ${code_verifier:+"$code_verifier"} ;;
        sign) sign <"$folder/bytes" ;;
        check) check "$folder/bytes" "$signatures" "$request_signature" ;;
        event) NOW=$now event "$folder/bytes" "$folder/headers" ;;
        check_session) check_session "$folder/bytes" "$signatures" "$request_signature" "$user" ;;
        # As a user runs them.
        session) sh "$folder/sso.sh" session "$session" "$user" ;;
        ping) sh "$folder/sso.sh" ping "$redirect_uri" ;;
        verify) sh "$folder/sso.sh" "$token" "$redirect_uri" ${code_verifier:+"$code_verifier"} ;;
    esac
}

jq -r '.[] | @sh "call=\(.call) IDP=\(.idp) CLIENT=\(.client) SECRET=\(.secret) token=\(.token // "")
    redirect_uri=\(.redirect_uri // "") code_verifier=\(.code_verifier // "") bytes=\(.body // "")
    signatures=\(.signatures // [] | join(":")) request_signature=\(.request_signature // "")
    session=\(.session // "") user=\(.user // "") now=\(.now // 0)
    headers=\(.headers // [] | map(join(": ")) | join("|"))"
    | gsub("\\n *"; " ")' "$calls" >"$folder/calls"
while read -r fields; do
    eval "$fields"
    # Sourced for each call: it removes white space from the secret.
    # shellcheck source=/dev/null
    . "$folder/sso.sh"
    signatures=$(printf %s "$signatures" | tr : '\n')
    printf %s "$bytes" | base64 -d >"$folder/bytes"
    printf '%s\n' "$headers" | tr '|' '\n' >"$folder/headers"
    if value=$(run 2>"$folder/errors"); then
        case $call in
            body | sign) jq -n --arg value "$value" '{text: $value}' ;;
            event) jq -n --argjson value "$value" '{event: $value}' ;;
            ping) jq -n --argjson value "$value" '{pong: $value}' ;;
            session | check_session) jq -n --argjson value "$value" '{state: $value}' ;;
            *) jq -n --argjson value "$value" '{reply: $value}' ;;
        esac
    else
        # The sample prints "verify: status 401: ERROR: DESCRIPTION".
        jq -Rs 'rtrimstr("\n") | {refused: .}
            + (capture("^verify: status (?<status>[0-9]*): message ") // {} | map_values(tonumber))
            + (capture("^verify: status [0-9]*: (?<error>[a-z_]*): (?<description>.*)$") // {})' "$folder/errors"
    fi
done <"$folder/calls" | jq -s .
