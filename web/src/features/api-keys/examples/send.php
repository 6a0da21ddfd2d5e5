<?php
// SENDROOM_URL=https://sendroom.example SENDROOM_KEY=sendroom_… SENDROOM_TO=+84901234567 php send.php

function call(string $path, ?array $body = null): array
{
    $request = curl_init(getenv('SENDROOM_URL') . '/api' . $path);
    curl_setopt_array($request, [
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 30,
        CURLOPT_HTTPHEADER => [
            'Authorization: Bearer ' . getenv('SENDROOM_KEY'),
            'Content-Type: application/json',
        ],
    ]);
    if ($body !== null) {
        curl_setopt($request, CURLOPT_POSTFIELDS, json_encode($body));
    }
    $answer = curl_exec($request);
    $status = curl_getinfo($request, CURLINFO_RESPONSE_CODE);
    if ($answer === false || $status >= 500) {
        throw new RuntimeException("Sendroom answered $status");
    }
    if ($status >= 400) {
        fwrite(STDERR, $answer);
        exit(1);
    }
    return json_decode($answer, true);
}

/** Tries again if no answer arrives, or the answer is an error of the server. */
function callAgain(string $path, array $body, int $attempts = 4): array
{
    for ($attempt = 1; ; $attempt++) {
        try {
            return call($path, $body);
        } catch (RuntimeException $error) {
            if ($attempt === $attempts) {
                throw $error;
            }
            sleep(2 ** $attempt);
        }
    }
}

// The id of this job. A second attempt with the same id creates no second job.
$bytes = random_bytes(16);
$bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
$bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
$requestId = vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));

// The first account that the key may use.
$accounts = call('/instances?pageSize=1&sortBy=id&sortDirection=asc')['data'];

$job = callAgain('/jobs', [
    'requestId' => $requestId,
    'instanceId' => $accounts[0]['id'],
    'jobType' => 'SendToUsers',
    'phoneNumbers' => getenv('SENDROOM_TO'),
    'message' => ['textContent' => 'Your order is ready.'],
]);
echo json_encode($job), "\n";
