"""Addresses by which a step is approved."""

from __future__ import annotations

import secrets
from typing import TypedDict

from ._connection import call_for_value, own_job, path_part


class ResumeUrls(TypedDict):
    """The addresses of one approval.

    `approvalPage` is for people: a page to decide on, and opening it decides nothing. `resume` and `cancel` are secrets: `POST` to them
    approves, with any JSON as payload, or rejects.
    """

    approvalPage: str
    resume: str
    cancel: str


def get_resume_urls(approver: str | None = None, flow_level: bool = False) -> ResumeUrls:
    """Addresses by which the step that this code runs in is approved or rejected, new ones at each call: each counts once.

    What holds them may decide, so send the page to people and the others to programs alone. `approver` says whom they are for: a name
    that the flow sees among its `approvers`. With `flow_level` they are for whichever step of the flow asks next, also before one does.
    """
    query = {"approver": approver, "flow_level": flow_level or None}
    answer: ResumeUrls = call_for_value("GET", f"jobs/resume_urls/{path_part(own_job())}/{secrets.randbelow(2**32)}", query=query)
    return answer
