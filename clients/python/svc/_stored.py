"""Resources (connections), variables and state."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from ._connection import ApiError, call, call_for_value, job_variable, mocked, path_part


def _state_path() -> str:
    """Returns the default path of a job's state: one resource for each script and the user as whom it runs."""
    path = job_variable("STATE_PATH_NEW") or job_variable("STATE_PATH")
    if not path:
        raise RuntimeError("This does not run in a job (WM_STATE_PATH is not set): name the path.")
    return path


def _resource_path(path: str | None) -> str:
    return re.sub(r"^(\$res:|res://)", "", path if path is not None else _state_path())


def _variable_path(path: str) -> str:
    return re.sub(r"^(\$var:|var://)", "", path)


def get_resource(path: str | None = None, none_if_undefined: bool = False) -> Any:
    """Returns the value of a resource (a connection) with its references resolved.

    `path` is `f/ops/db`, also written `$res:f/ops/db` or `res://f/ops/db`; default: the path of the script's state.
    Raises `ApiError` with status 404 if it is missing or not visible to the caller; with `none_if_undefined` it is `None` then.
    """
    at = _resource_path(path)
    known = mocked("resources", at)
    if known:
        return known[0]
    try:
        return call_for_value("GET", f"resources/get_value_interpolated/{path_part(at)}")
    except ApiError as error:
        if none_if_undefined and error.status == 404:
            return None
        raise


def set_resource(value: Any, path: str | None = None, resource_type: str | None = None) -> None:
    """Sets the value of a resource. `path` defaults to the path of the script's state.

    With `resource_type`, a missing resource is created; without it, a missing resource raises `ApiError` with status 404.
    """
    at = _resource_path(path)
    if call_for_value("GET", f"resources/exists/{path_part(at)}"):
        call("POST", f"resources/update_value/{path_part(at)}", body={"value": value})
    elif resource_type:
        # Another run may have created it concurrently: the later call wins, as with two updates.
        body = {"path": at, "value": value, "resource_type": resource_type}
        call("POST", "resources/create", query={"update_if_exists": True}, body=body)
    else:
        raise ApiError(404, "", f"There is no resource {at}, and no type was given to create it with.")


def get_state(path: str | None = None) -> Any:
    """Returns the value that an earlier run of this script stored with `set_state`, or `None`.

    `path` defaults to one for this script and the user as whom it runs.
    """
    return get_resource(path, none_if_undefined=True)


def set_state(state: Any, path: str | None = None) -> None:
    """Stores a value for later runs of this script. If two runs store a value at once, the later one wins."""
    set_resource(state, path, "state")


def get_variable(path: str) -> str:
    """Returns the value of a variable, which may be secret. `path` is `f/ops/token`, also written `$var:f/ops/token` or `var://f/ops/token`.

    Raises `ApiError` with status 404 if it is missing or not visible to the caller.
    """
    at = _variable_path(path)
    known = mocked("variables", at)
    return str(known[0] if known else call_for_value("GET", f"variables/get_value/{path_part(at)}"))


def set_variable(path: str, value: str, is_secret: bool = False, description: str = "") -> None:
    """Sets the value of a variable, or creates it.

    `is_secret` and `description` apply only to a new variable: an existing variable retains both.
    """
    at = _variable_path(path)
    if call_for_value("GET", f"variables/exists/{path_part(at)}"):
        call("POST", f"variables/update/{path_part(at)}", body={"value": value})
    else:
        call("POST", "variables/create", body={"path": at, "value": value, "is_secret": is_secret, "description": description})


def username_to_email(username: str) -> str:
    """Returns the address of a user of the workspace. Raises `ApiError` with status 404 if there is no such user."""
    return str(call_for_value("GET", f"users/username_to_email/{path_part(username)}"))


def get_id_token(audience: str, expires_in: int | None = None) -> str:
    """Returns an OpenID Connect ID token of the job that runs this code, for another service, such as `sts.amazonaws.com`.

    It is valid for `expires_in` seconds, 60 to 86,400; default: an hour.
    """
    return str(call_for_value("POST", f"oidc/token/{quote(audience, safe='')}", query={"expires_in": expires_in}))


def database_url_from_resource(path: str) -> str:
    """Returns a connection URL, `postgresql://user:password@host:port/dbname?sslmode=…`, for a resource of type `postgresql`.

    The URL contains the password. Raises `ApiError` with status 404 if there is no such resource.
    """
    database = get_resource(path)
    login = ":".join(quote(database[name], safe="") for name in ("user", "password") if database.get(name))
    host = database["host"]
    address = f"[{host}]" if ":" in host else host
    mode = f"?sslmode={quote(database['sslmode'], safe='')}" if database.get("sslmode") else ""
    port = database.get("port") or 5432
    return f"postgresql://{login + '@' if login else ''}{address}:{port}/{quote(database['dbname'], safe='')}{mode}"
