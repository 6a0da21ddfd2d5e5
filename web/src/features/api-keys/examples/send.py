# SENDROOM_URL=https://sendroom.example SENDROOM_KEY=sendroom_… SENDROOM_TO=+84901234567 python3 send.py
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid


def call(path, body=None):
    request = urllib.request.Request(
        os.environ["SENDROOM_URL"] + "/api" + path,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Authorization": "Bearer " + os.environ["SENDROOM_KEY"],
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


def call_again(path, body, attempts=4):
    """Tries again if no answer arrives, or the answer is an error of the server."""
    for attempt in range(1, attempts + 1):
        try:
            return call(path, body)
        except urllib.error.HTTPError as error:
            if error.code < 500 or attempt == attempts:
                sys.exit(error.read().decode())
        except OSError:
            if attempt == attempts:
                raise
        time.sleep(2**attempt)


# The first account that the key may use.
accounts = call("/instances?pageSize=1&sortBy=id&sortDirection=asc")["data"]

job = call_again(
    "/jobs",
    {
        # The id of this job. A second attempt with the same id creates no second job.
        "requestId": str(uuid.uuid4()),
        "instanceId": accounts[0]["id"],
        "jobType": "SendToUsers",
        "phoneNumbers": os.environ["SENDROOM_TO"],
        "message": {"textContent": "Your order is ready."},
    },
)
print(json.dumps(job))
