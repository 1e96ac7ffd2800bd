"""URLs that approve a step."""

from __future__ import annotations

import secrets
from typing import TypedDict

from ._connection import call_for_value, own_job, path_part


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
