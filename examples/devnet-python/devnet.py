"""A small client of a devnet: enough for tests, and nothing but Python's standard library."""

import json
import os
import urllib.error
import urllib.parse
import urllib.request
import uuid

# Base URL of the control service, as `keeplight devnet` prints it.
CONTROL = os.environ["KEEPLIGHT_DEVNET_URL"]


class Refused(Exception):
    """A response from status 400 up."""

    def __init__(self, status: int, body: bytes):
        super().__init__(f"status {status}: {body.decode(errors='replace')}")
        self.status = status
        self.body = body


def send(method: str, url: str, body: bytes | None = None, **headers: str) -> bytes:
    """Sends a request and returns the body of its response."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url, data=body, method=method, headers=named)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.read()
    except urllib.error.HTTPError as error:
        with error:
            raise Refused(error.code, error.read()) from None


def control(method: str, path: str, fields: dict | None = None):
    """Calls the control service."""
    body = None if fields is None else json.dumps(fields).encode()
    response = send(method, CONTROL + path, body, Content_Type="application/json")
    return json.loads(response) if response else None


class Devnet:
    """What the control service says of a running devnet, seen by one of its accounts."""

    def __init__(self, account: int = 0):
        self.description = control("GET", "/")
        self.endpoints = self.description["endpoints"]
        self.api_key = self.description["accounts"][account]["apiKey"]

    @property
    def authorization(self) -> str:
        return f"Bearer {self.api_key}"

    def upload(self, name: str, content: bytes) -> str:
        """Uploads a file and returns its content id."""
        boundary = uuid.uuid4().hex
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        body = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
        response = send(
            "POST",
            f"{self.endpoints['upload']}/api/v0/add?cid-version=1",
            body,
            Authorization=self.authorization,
            Content_Type=f"multipart/form-data; boundary={boundary}",
        )
        return json.loads(response)["Hash"]

    def list_files(self) -> list[dict]:
        """Lists the files of the account, newest first."""
        url = f"{self.endpoints['api']}/api/user/files_uploaded?lastKey=null"
        return json.loads(send("GET", url, Authorization=self.authorization))["fileList"]

    def read(self, cid: str) -> bytes:
        """Reads a file at the gateway, which asks for no account."""
        return send("GET", f"{self.endpoints['gateway']}/ipfs/{urllib.parse.quote(cid)}")
