"""Requests for the approval of a step: URLs, and messages in a chat."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from ._connection import call, call_for_value, job_variable, own_job, path_part


class ResumeUrls(TypedDict):
    """The URLs of one approval.

    `approvalPage` is for people: opening the page does not decide. `resume` and `cancel` are secrets: `POST` to them
    approves, with any JSON as payload, or rejects.
    """

    approvalPage: str
    resume: str
    cancel: str


def get_resume_urls(approver: str | None = None, flow_level: bool = False) -> ResumeUrls:
    """Creates the URLs that approve or reject the step that runs this code. Each call returns new URLs, and each counts once.

    The URLs allow their holder to decide: send the page to people and the others only to programs. `approver` is the name of the approver
    that the flow sees in `approvers`. With `flow_level`, the URLs apply to the next step of the flow that requests approval.
    """
    query = {"approver": approver, "flow_level": flow_level or None}
    answer: ResumeUrls = call_for_value("GET", f"jobs/resume_urls/{path_part(own_job())}/{secrets.randbelow(2**32)}", query=query)
    return answer


def request_interactive_chat_approval(
    chat_resource_path: str,
    channel_id: str | None = None,
    message: str | None = None,
    approver: str | None = None,
    default_args_json: Mapping[str, Any] | None = None,
    dynamic_enums_json: Mapping[str, Sequence[Any]] | None = None,
    resume_button_text: str | None = None,
    cancel_button_text: str | None = None,
) -> None:
    """Posts a message to Slack whose buttons approve or reject the step that runs this code. The step must have the option `suspend`.

    `chat_resource_path` is a resource of type `slack` that the job may read, and `channel_id` the id of the channel (default: that of the
    resource). The message shows `message` and `approver`, which does not limit who may decide. The fields of the form begin with
    `default_args_json` and offer the choices `dynamic_enums_json`. Call it once for each channel. A repeated call with the same
    resource and channel posts nothing, and a message that cannot be posted raises `ApiError`.
    """
    fields = _describe_request(message, approver, default_args_json, dynamic_enums_json, resume_button_text, cancel_button_text)
    query = {"slack_resource_path": chat_resource_path, "channel_id": channel_id, **fields}
    call("GET", f"jobs/slack_approval/{path_part(own_job())}", query=query)


def request_interactive_slack_approval(
    slack_resource_path: str,
    channel_id: str | None = None,
    message: str | None = None,
    approver: str | None = None,
    default_args_json: Mapping[str, Any] | None = None,
    dynamic_enums_json: Mapping[str, Sequence[Any]] | None = None,
    resume_button_text: str | None = None,
    cancel_button_text: str | None = None,
) -> None:
    """An alias with the older name."""
    request_interactive_chat_approval(
        slack_resource_path, channel_id, message, approver, default_args_json, dynamic_enums_json, resume_button_text, cancel_button_text
    )


def request_interactive_discord_approval(
    chat_resource_path: str,
    channel_id: str | None = None,
    message: str | None = None,
    approver: str | None = None,
    default_args_json: Mapping[str, Any] | None = None,
    dynamic_enums_json: Mapping[str, Sequence[Any]] | None = None,
    resume_button_text: str | None = None,
    cancel_button_text: str | None = None,
) -> None:
    """Posts a message to Discord, in the same way as `request_interactive_chat_approval`. The resource has the type `discord`."""
    fields = _describe_request(message, approver, default_args_json, dynamic_enums_json, resume_button_text, cancel_button_text)
    body = {"discord_resource_path": chat_resource_path, "channel_id": channel_id, **fields}
    present = {name: value for name, value in body.items() if value}
    call("POST", f"jobs/discord_approval/{path_part(own_job())}", body=present)


def request_interactive_collab_approval(
    team_name: str,
    channel_name: str,
    message: str | None = None,
    approver: str | None = None,
    default_args_json: Mapping[str, Any] | None = None,
    dynamic_enums_json: Mapping[str, Sequence[Any]] | None = None,
    resume_button_text: str | None = None,
    cancel_button_text: str | None = None,
    chat_resource_path: str | None = None,
) -> None:
    """Posts a message to Microsoft Teams, in the same way as `request_interactive_chat_approval`.

    `team_name` and `channel_name` are those of a team and its channel in which the bot is installed. `chat_resource_path` is the resource of
    the bot, if the workspace has several.
    """
    fields = _describe_request(message, approver, default_args_json, dynamic_enums_json, resume_button_text, cancel_button_text)
    query = {"team_name": team_name, "channel_name": channel_name, "chat_resource_path": chat_resource_path, **fields}
    call("GET", f"jobs/teams_approval/{path_part(own_job())}", query=query)


# An alias with the older name.
request_interactive_teams_approval = request_interactive_collab_approval


def send_teams_message(
    conversation_id: str,
    text: str,
    card_block: Mapping[str, Any] | None = None,
    success: bool | None = None,
) -> None:
    """Sends a message to a conversation of the workspace's bot in Microsoft Teams.

    `card_block` is an adaptive card below the text, and `success` tells whether the message reports a success. A step that waits for an
    approval adds a link to its approval page.
    """
    body = {"conversation_id": conversation_id, "text": text, "card_block": card_block, "success": success}
    call("POST", "/api/teams/activities", body={name: value for name, value in body.items() if value is not None})


def _describe_request(
    message: str | None,
    approver: str | None,
    default_args_json: Mapping[str, Any] | None,
    dynamic_enums_json: Mapping[str, Sequence[Any]] | None,
    resume_button_text: str | None,
    cancel_button_text: str | None,
) -> dict[str, str | None]:
    """Returns the fields of a request for the approval of the step that runs this code."""
    step = job_variable("FLOW_STEP_ID")
    if not step:
        raise RuntimeError("This does not run in a step of a flow (WM_FLOW_STEP_ID is not set), so there is nothing to approve.")
    return {
        "flow_step_id": step,
        "message": message,
        "approver": approver,
        "default_args_json": _to_json(default_args_json),
        "dynamic_enums_json": _to_json(dynamic_enums_json),
        "resume_button_text": resume_button_text,
        "cancel_button_text": cancel_button_text,
    }


def _to_json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
