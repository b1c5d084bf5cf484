<?php
// Runs the calls of a file on the PHP sample of examples/partners: the file and the results are JSON arrays.
require __DIR__ . '/sso.php';

function run(array $call): string|array {
    $sso = new SSO($call['idp'], $call['client'], $call['secret']);
    $body = base64_decode($call['body'] ?? '');
    // PHP joins repeated headers. $_SERVER has them in capitals.
    $headers = [];
    foreach ($call['headers'] ?? [] as [$name, $value]) {
        $key = strlen($body) % 2 ? 'HTTP_' . strtoupper(strtr($name, '-', '_')) : $name;
        $headers[$key] = isset($headers[$key]) ? "$headers[$key], $value" : $value;
    }
    return match ($call['call']) {
        'body' => $sso->body($call['token'], $call['redirect_uri'], $call['code_verifier'] ?? null),
        'sign' => $sso->sign($body),
        'check' => $sso->check($body, $call['signatures'], $call['request_signature']),
        'event' => $sso->event($body, $headers, $call['now']),
        'check_session' => $sso->checkSession($body, $call['signatures'], $call['request_signature'], $call['user']),
        'session' => $sso->session($call['session'], $call['user']),
        'ping' => $sso->ping($call['redirect_uri']),
        'verify' => $sso->verify($call['token'], $call['redirect_uri'], $call['code_verifier'] ?? null),
    };
}

$results = [];
foreach (json_decode(file_get_contents($argv[1]), true) as $call) {
    try {
        $value = run($call);
        $kinds = ['event' => 'event', 'ping' => 'pong', 'session' => 'state', 'check_session' => 'state'];
        $kind = $kinds[$call['call']] ?? 'reply';
        $results[] = is_string($value) ? ['text' => $value] : [$kind => $value];
    } catch (EventError $error) {
        $results[] = ['refused' => $error->getMessage(), 'status' => $error->status];
    } catch (VerifyError $error) {
        $results[] = ['refused' => $error->getMessage(), 'error' => $error->error, 'description' => $error->description];
    }
}
echo json_encode($results), "\n";
