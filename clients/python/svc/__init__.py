"""A client of svc, for the scripts that it runs and for other programs.

Inside a job, no setup is necessary: the environment contains the URL of the service and a token with exactly the job's rights.
Other programs call `set_client` first.
"""

from ._approvals import (
    ResumeUrls,
    get_resume_urls,
    request_interactive_chat_approval,
    request_interactive_collab_approval,
    request_interactive_discord_approval,
    request_interactive_slack_approval,
    request_interactive_teams_approval,
    send_teams_message,
)
from ._connection import ApiError, set_client
from ._files import (
    S3Object,
    S3ObjectLike,
    delete_s3_file,
    get_presigned_s3_public_url,
    get_presigned_s3_public_urls,
    load_s3_file,
    sign_s3_object,
    sign_s3_objects,
    write_s3_file,
)
from ._jobs import (
    JobError,
    JobFailure,
    MaybeResult,
    cancel_job,
    get_progress,
    get_result,
    get_result_maybe,
    get_root_job_id,
    run_script,
    run_script_by_hash,
    run_script_by_hash_async,
    run_script_by_path,
    run_script_by_path_async,
    set_progress,
    wait_job,
)
from ._stored import (
    database_url_from_resource,
    get_id_token,
    get_resource,
    get_state,
    get_variable,
    set_resource,
    set_state,
    set_variable,
    username_to_email,
)
from ._stream import append_to_result_stream, stream_result

__version__ = "0.1.0"

__all__ = [
    "ApiError",
    "JobError",
    "JobFailure",
    "MaybeResult",
    "ResumeUrls",
    "S3Object",
    "S3ObjectLike",
    "append_to_result_stream",
    "cancel_job",
    "database_url_from_resource",
    "delete_s3_file",
    "get_presigned_s3_public_url",
    "get_presigned_s3_public_urls",
    "get_progress",
    "get_id_token",
    "get_resource",
    "get_result",
    "get_result_maybe",
    "get_resume_urls",
    "get_root_job_id",
    "get_state",
    "get_variable",
    "load_s3_file",
    "request_interactive_chat_approval",
    "request_interactive_collab_approval",
    "request_interactive_discord_approval",
    "request_interactive_slack_approval",
    "request_interactive_teams_approval",
    "run_script",
    "run_script_by_hash",
    "run_script_by_hash_async",
    "run_script_by_path",
    "run_script_by_path_async",
    "send_teams_message",
    "set_client",
    "set_progress",
    "set_resource",
    "set_state",
    "set_variable",
    "sign_s3_object",
    "sign_s3_objects",
    "stream_result",
    "username_to_email",
    "wait_job",
    "write_s3_file",
]
