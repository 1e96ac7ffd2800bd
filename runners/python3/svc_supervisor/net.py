"""HTTP for the supervisor: presigned GET and PUT, and a persistent connection for the internal route."""

import http.client
import json
import urllib.error
import urllib.parse
import urllib.request

# Ignores the machine's proxy settings: storage and internal route are reached directly.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Unreachable(Exception):
    """The server did not respond, or its response may differ at the next attempt."""


def download(url, write, timeout_s=30):
    """Streams a GET into `write(bytes)`. Raises Unreachable, whose message omits the URL because its query is a secret."""
    try:
        with _opener.open(url, timeout=timeout_s) as response:
            while True:
                part = response.read(1 << 18)
                if not part:
                    return
                write(part)
    except urllib.error.HTTPError as error:
        raise Unreachable(f"HTTP {error.code}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Unreachable(_reason(error)) from None


def upload(url, body, content_type, timeout_s=120):
    """Sends one PUT. Raises Unreachable."""
    request = urllib.request.Request(url, data=body, method="PUT", headers={"Content-Type": content_type})
    try:
        with _opener.open(request, timeout=timeout_s) as response:
            response.read()
    except urllib.error.HTTPError as error:
        raise Unreachable(f"HTTP {error.code}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Unreachable(_reason(error)) from None


class JsonConnection:
    """Sends POST requests with JSON to one origin over one connection. Not thread-safe."""

    def __init__(self, origin, token, timeout_s=10):
        parts = urllib.parse.urlsplit(origin)
        self._prefix = parts.path.rstrip("/")
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(parts.hostname, parts.port, timeout=timeout_s)
        self._headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}

    def post(self, path, message):
        """Returns status and parsed answer (None if it is not JSON). Raises Unreachable."""
        body = json.dumps(message).encode()
        for last in (False, True):
            fresh = self._connection.sock is None
            try:
                self._connection.request("POST", self._prefix + path, body, self._headers)
                response = self._connection.getresponse()
                return response.status, _parsed(response.read())
            except TimeoutError as error:
                self.close()
                raise Unreachable(_reason(error)) from None
            except (OSError, http.client.HTTPException) as error:
                self.close()
                # The server may have closed an idle connection. That is not a failure, so a new connection is tried.
                if fresh or last:
                    raise Unreachable(_reason(error)) from None

    def close(self):
        self._connection.close()


def _parsed(body):
    try:
        return json.loads(body)
    except ValueError:
        return None


def _reason(error):
    return str(getattr(error, "reason", None) or error) or type(error).__name__
