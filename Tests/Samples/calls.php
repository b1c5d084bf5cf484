<?php
// Runs the calls of a file on the PHP sample of docs/protocol.md: the file and the results are JSON arrays.
require __DIR__ . '/sso.php';

function run(array $call): string|array {
    $sso = new SSO($call['idp'], $call['client'], $call['secret']);
    $body = base64_decode($call['body'] ?? '');
    return match ($call['call']) {
        'body' => $sso->body($call['token'], $call['redirect_uri'], $call['code_verifier'] ?? null),
        'sign' => $sso->sign($body),
        'check' => $sso->check($body, $call['signatures'], $call['request_signature']),
        'verify' => $sso->verify($call['token'], $call['redirect_uri'], $call['code_verifier'] ?? null),
    };
}

$results = [];
foreach (json_decode(file_get_contents($argv[1]), true) as $call) {
    try {
        $value = run($call);
        $results[] = is_string($value) ? ['text' => $value] : ['reply' => $value];
    } catch (VerifyError $error) {
        $results[] = ['refused' => $error->getMessage(), 'error' => $error->error, 'description' => $error->description];
    }
}
echo json_encode($results), "\n";
