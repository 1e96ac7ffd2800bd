"""Lets the service check the arguments that the preprocessor returned for `main`."""

import json
import time
import urllib.error
import urllib.request

_PAUSES_S = (0.3, 1.0)
"""Requests to the service are repeated after these pauses."""
_TIMEOUT_S = 30


def find_problem(check, made):
    """Returns the error of the run if it must not continue. `made` is the JSON of the arguments; `check` contains the route and its token."""
    # Ignores the machine's proxy settings: the internal route is reached directly.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    headers = {"Authorization": f"Bearer {check['token']}", "Content-Type": "application/json"}
    request = urllib.request.Request(check["url"], data=b'{"args":' + made + b"}", method="POST", headers=headers)
    for pause_s in (*_PAUSES_S, None):
        try:
            with opener.open(request, timeout=_TIMEOUT_S) as response:
                problem = json.load(response).get("problem")
            return None if problem is None else {"name": "ValidationError", "message": problem}
        except urllib.error.HTTPError as error:
            if error.code < 500 and error.code != 429:
                return _not_checked(f"status {error.code}")
        except (OSError, ValueError):
            # The service did not answer.
            pass
        if pause_s is not None:
            time.sleep(pause_s)
    return _not_checked("no answer")


def _not_checked(why):
    message = f"The service could not check the arguments that the preprocessor returned: {why}."
    return {"name": "ValidationError", "message": message}
