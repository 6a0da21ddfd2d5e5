#!/usr/bin/env bash
# SENDROOM_URL=https://sendroom.example SENDROOM_KEY=sendroom_… SENDROOM_TO=+84901234567 ./send.sh
set -euo pipefail

call() {
  curl --silent --show-error --fail-with-body --header "Authorization: Bearer $SENDROOM_KEY" "$@"
}

# The first account that the key may use.
account=$(call "$SENDROOM_URL/api/instances?pageSize=1&sortBy=id&sortDirection=asc" |
  grep --only-matching '"id":[0-9]*' | head -1 | cut -d: -f2)

# The id of this job. A second attempt with the same id creates no second job.
request_id=$(uuidgen 2>/dev/null || cat /proc/sys/kernel/random/uuid)

call --retry 3 --header 'Content-Type: application/json' "$SENDROOM_URL/api/jobs" --data @- <<JSON
{
  "requestId": "$request_id",
  "instanceId": $account,
  "jobType": "SendToUsers",
  "phoneNumbers": "$SENDROOM_TO",
  "message": { "textContent": "Your order is ready." }
}
JSON
