<?php
// The visitor is not signed in. `error` and `description` come from the IdP, if it sent them.
final class VerifyError extends RuntimeException {
    public function __construct(string $reason, public readonly ?string $error = null,
                                public readonly ?string $description = null) {
        parent::__construct(implode(': ', array_filter([$reason, $error, $description])));
    }
}

// The message ends nothing. Answer it with $status.
final class EventError extends RuntimeException {
    public function __construct(public readonly int $status, string $reason) {
        parent::__construct($reason);
    }
}

final class SSO {
    private string $key;

    public function __construct(private string $idp, private string $client, string $secret) {
        $this->key = trim($secret);
    }

    public function body(string $token, string $redirectUri, ?string $codeVerifier = null): string {
        $fields = ['token' => $token, 'redirect_uri' => $redirectUri];
        if ($codeVerifier !== null) { $fields['code_verifier'] = $codeVerifier; }
        return json_encode($fields, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES);
    }

    public function sign(string $body): string {
        return 'sha256=' . hash_hmac('sha256', $body, $this->key);
    }

    private function isSigned(array $signatures, string $message): bool {
        return count($signatures) === 1 && hash_equals($this->sign($message), strtolower($signatures[0]));
    }

    private function isFilled(mixed $text): bool {
        return is_string($text) && $text !== '';
    }

    /** A response of the IdP to this client. $signatures: all values of its header X-SSO-Signature. */
    private function signed(string $raw, array $signatures, string $requestSignature): array {
        $hexDigits = strtolower(substr($requestSignature, strlen('sha256=')));
        if (!$this->isSigned($signatures, "response.$hexDigits." . $raw)) {
            throw new VerifyError('response not signed by the IdP');
        }
        $reply = json_decode($raw, true);
        if (($reply['client_id'] ?? null) !== $this->client) { throw new VerifyError('response for another client'); }
        return $reply;
    }

    /** The verified response. */
    public function check(string $raw, array $signatures, string $requestSignature): array {
        $reply = $this->signed($raw, $signatures, $requestSignature);
        $session = $reply['session'] ?? null;
        if (!$this->isFilled($reply['user']['id'] ?? null) || !is_array($session) || !$this->isFilled($session['id'] ?? null)
            || array_key_exists('authenticated_at', $session) && !is_int($session['authenticated_at'])) {
            throw new VerifyError('response not as documented');
        }
        return $reply;
    }

    /** The same for the response to a question about a session of $user. */
    public function checkSession(string $raw, array $signatures, string $requestSignature, string $user): array {
        $reply = $this->signed($raw, $signatures, $requestSignature);
        $active = $reply['active'] ?? null;
        if ($active === true) {
            $isSame = $this->check($raw, $signatures, $requestSignature)['user']['id'] === $user;
            if (!$isSame) { throw new VerifyError('response about another user'); }
        } elseif ($active !== false || !$this->isFilled($reply['reason'] ?? null)) {
            throw new VerifyError('response not as documented');
        }
        return $reply;
    }

    public function verify(string $token, string $redirectUri, ?string $codeVerifier = null): array {
        return $this->check(...$this->call('/auth/sso/verify', '', $this->body($token, $redirectUri, $codeVerifier), 5));
    }

    /** Whether a session at the IdP still holds: active, and the user of today or the reason. */
    public function session(string $id, string $user): array {
        $body = json_encode(['session' => $id, 'user' => $user], JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES);
        return $this->checkSession(...[...$this->call('/auth/sso/session', 'session.', $body, 2), $user]);
    }

    /** Tries client id, secret and clock: redirect_uri is "registered" or "not_registered". Changes nothing. */
    public function ping(string $redirectUri): array {
        $body = json_encode(['redirect_uri' => $redirectUri, 'time' => time()], JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES);
        return $this->signed(...$this->call('/auth/sso/ping', 'ping.', $body, 5));
    }

    /** The verified sign-out message. $headers: getallheaders(), or $_SERVER. PHP joins two of a name by a comma. */
    public function event(string $raw, array $headers, ?int $now = null): array {
        $signatures = [];
        foreach ($headers as $name => $value) {
            $isSignature = preg_match('/^(http-)?x-sso-signature$/Di', strtr((string) $name, '_', '-'));
            if ($isSignature) { $signatures[] = $value; }
        }
        if (!$this->isSigned($signatures, 'logout.' . $raw)) {
            throw new EventError(401, 'message not signed by the IdP');
        }
        $event = json_decode($raw, true);
        if (!is_array($event)) { throw new EventError(400, 'message not as documented'); }
        $isFilled = $this->isFilled($event['id'] ?? null) && $this->isFilled($event['user'] ?? null)
            && (!array_key_exists('session', $event) || $this->isFilled($event['session']));
        if (($event['event'] ?? null) !== 'logout' || ($event['client_id'] ?? null) !== $this->client || !$isFilled
            || !is_int($event['issued_at'] ?? null)) {
            throw new EventError(400, 'message not as documented, or for another client');
        }
        if (abs(($now ?? time()) - $event['issued_at']) > 300) {
            throw new EventError(400, 'message not of these minutes');
        }
        return $event;
    }

    /** Body, signatures and the request's signature of a response 200. */
    private function call(string $path, string $label, string $body, int $seconds): array {
        $signature = $this->sign($label . $body);
        $raw = '';
        $signatures = [];
        $curl = curl_init($this->idp . $path);
        curl_setopt_array($curl, [
            CURLOPT_POSTFIELDS => $body, CURLOPT_FOLLOWLOCATION => false, CURLOPT_PROXY => '',
            CURLOPT_CONNECTTIMEOUT => 2, CURLOPT_TIMEOUT => $seconds,
            CURLOPT_HTTPHEADER => ['Content-Type: application/json', "X-SSO-Client: $this->client",
                "X-SSO-Signature: $signature"],
            CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$signatures, &$raw): int {
                // Each status line begins a new head (103, then 200). Lines after the body are trailers.
                if (str_starts_with($line, 'HTTP/')) { $signatures = []; }
                $isSignature = $raw === '' && stripos($line, 'X-SSO-Signature:') === 0;
                if ($isSignature) { $signatures[] = trim(substr($line, 16)); }
                return strlen($line);
            },
            CURLOPT_WRITEFUNCTION => function ($_, string $part) use (&$raw): int {
                $raw .= $part;
                return strlen($raw) <= 65536 ? strlen($part) : 0;   // 0 ends the transfer
            },
        ]);
        $isComplete = curl_exec($curl);
        if (strlen($raw) > 65536) { throw new VerifyError('response too large'); }
        if (!$isComplete) { throw new VerifyError('no response: ' . $this->readable(curl_error($curl))); }
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        if ($status !== 200) {
            $refusal = json_decode($raw, true);
            throw new VerifyError("status $status", $this->readable($refusal['error'] ?? null),
                $this->readable($refusal['error_description'] ?? null));
        }
        if (!preg_match('~^application/json\s*(;|$)~i', curl_getinfo($curl, CURLINFO_CONTENT_TYPE) ?? '')) {
            throw new VerifyError('response is not JSON');
        }
        return [$raw, $signatures, $signature];
    }

    /** A text of an unsigned response, if it can be logged: one line of printable ASCII. */
    private function readable(mixed $text): ?string {
        return is_string($text) && preg_match('/^[ -~]{1,300}$/D', $text) ? $text : null;
    }
}
